"""Lists for tests: texts as files, and what tables say."""

import io

import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import read_table


def file(text, name="ties.csv"):
    stream = io.BytesIO(text if isinstance(text, bytes) else text.encode())
    stream.name = name
    return stream


def table(text, name="ties.csv"):
    found = read_table(file(text, name))
    assert found.format == "long"
    return found


def rows(found):
    """What a table says, row by row."""
    names = (
        [found.objects[i] for i in found.i],
        [found.relations[k] for k in found.k],
        [found.objects[j] for j in found.j],
    )
    numbers = [] if found.values is None else [found.values.tolist()]
    return list(zip(*names, *numbers, strict=True))


def problems(text, name="ties.csv", **options):
    with pytest.raises(DataError) as caught:
        mrwtd.read(file(text, name), **options)
    assert caught.value.file == name
    return caught.value.problems

"""Edge lists for tests: texts as files, tables, rows and problems."""

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
    result = read_table(file(text, name))
    assert result.format == "long"
    return result


def rows(result):
    """The rows of a table, with names."""
    names = (
        [result.objects[i] for i in result.i],
        [result.relations[k] for k in result.k],
        [result.objects[j] for j in result.j],
    )
    numbers = [] if result.values is None else [result.values.tolist()]
    return list(zip(*names, *numbers, strict=True))


def problems(text, name="ties.csv", **options):
    with pytest.raises(DataError) as caught:
        mrwtd.read(file(text, name), **options)
    assert caught.value.file == name
    return caught.value.problems

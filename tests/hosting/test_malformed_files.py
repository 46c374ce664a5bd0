"""Malformed files and forged runs, as a page sends them: each is read or refused within the default limits.

`python -m benchmarks.malformed_files` sends two thousand of them, large ones too.
"""

from collections.abc import Iterator

import pytest

from benchmarks.malformed_files import import_run, outcome, read_upload, workers
from mrwtd.data.readers import FORMATS
from mrwtd.hosting import isolated
from tests.data.readers.crafted_files import crafted_files
from tests.data.readers.malformed_files import (
    TEXT_FORMS,
    Malformed,
    damaged_files,
    files_with_columns,
    pasted_tables,
    renamed_files,
    unchanged_files,
)
from tests.forged_runs import forged_runs


def sample() -> Iterator[Malformed]:
    yield from [file for file in crafted_files() if not file.large][::2]
    for files in (renamed_files(), damaged_files(seed=1, per_kind=1)):
        yield from {file.format: file for file in files}.values()
    yield from [*files_with_columns(seed=1, per_kind=1)][::8]
    yield from [*pasted_tables(seed=1)][::20]


SAMPLE = list(sample())


def test_the_sample_has_all_formats() -> None:
    assert {file.format for file in SAMPLE} == {*FORMATS, "columns", "pasted table"}


@pytest.mark.parametrize("file", SAMPLE, ids=lambda file: f"{file.format}, {file.damage}, {file.name}")
def test_a_file_is_read_or_refused(file: Malformed) -> None:
    result, text = outcome(lambda: read_upload(file, file.make()))
    assert result in (("read",) if file.readable else ("read", "refused")), text


@pytest.mark.parametrize("number", [3, 60])
def test_a_forged_run_is_read_or_refused(number: int) -> None:
    damage, make = list(forged_runs(seed=0))[number]
    result, text = outcome(lambda: import_run(make()))
    assert result in ("read", "refused"), f"{damage}: {text}"


@pytest.mark.parametrize("form", ["gzip", "zip", *TEXT_FORMS])
def test_another_form_of_a_file_has_the_same_data(form: str) -> None:
    files = {file.format: file for file in unchanged_files() if file.damage == form}
    for file in [*files.values()][::2]:
        assert outcome(lambda file=file: read_upload(file, file.make())) == ("read", ""), file.format


def test_a_wrong_reading_is_noticed() -> None:
    name, content = "a.csv", b"source,target\nann,bob\nbob,cat\n"
    other = Malformed("long", "", name, bytes, same_as=(name, content.replace(b"cat", b"dan")))
    assert outcome(lambda: read_upload(other, content))[0] == "wrong"
    more = b"".join(b"p%d,q%d\n" % (number, number) for number in range(20))
    part = Malformed("long", "", name, bytes, part_of=(name, content))
    assert outcome(lambda: read_upload(part, content + more))[0] == "wrong"
    assert outcome(lambda: read_upload(part, content[:-2]))[0] == "read"


def test_no_process_remains_after_a_file() -> None:
    with isolated.Process() as process:
        process.call(int)
        before = set(workers())
        assert outcome(lambda: read_upload(SAMPLE[0], SAMPLE[0].make()))[0] == "refused"
        for _ in range(1_000):  # a process that was killed takes some milliseconds to end
            if set(workers()) <= before:
                break
            process.call(int)
        assert set(workers()) <= before

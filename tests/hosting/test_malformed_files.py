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
    Malformed,
    damaged_files,
    files_with_columns,
    pasted_tables,
    renamed_files,
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

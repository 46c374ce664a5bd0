"""Uploads in a process of their own: what a page sees, and files that take too much."""

import io
import os
import signal
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path

import pytest

import mrwtd
from mrwtd.errors import Problem
from mrwtd.hosting import isolated, upload_worker, uploads
from mrwtd.hosting.config import Config, Uploads
from mrwtd.hosting.slots import Slot, Slots
from mrwtd.hosting.uploads import UploadReader, unpack_in_process
from mrwtd.runs import Workspace
from mrwtd.runs.uploaded_files import UploadedFile
from tests.forged_runs import whole_run
from tests.hosting.test_isolated import wait_until_ended

TIES = UploadedFile("ties.csv", b"source,relation,target,value\nann,likes,bob,1\nbob,likes,ann,0\nann,calls,bob,12\n")


def test_the_data_is_what_read_gives(tmp_path) -> None:
    (tmp_path / TIES.name).write_bytes(TIES.content)
    reader = UploadReader([TIES], Uploads())
    options = {"directed": True, "absent": {"likes": "negative"}}
    assert reader.build(options=options).data == mrwtd.read(tmp_path / TIES.name, **options)
    preview = reader.preview()
    assert (preview.n_objects, preview.n_relations, preview.n_rows) == (2, 2, 3)
    assert [(relation.name, relation.kind) for relation in preview.schema] == [("likes", "binary"), ("calls", "count")]
    assert preview.rows["source"].tolist() == ["ann", "bob", "ann"]


def test_a_file_with_attributes_is_recognized_among_several() -> None:
    attributes = UploadedFile("people.csv", b"name,age\nann,30\nbob,40\n")
    reader = UploadReader([TIES, attributes], Uploads())
    assert list(reader.build().data.attributes.columns) == ["age"]


def test_files_that_belong_together_are_read_as_by_read(tmp_path) -> None:
    contents = {
        "a.edges": b"1 1 2 1\n2 2 1 1\n", "a_layers.txt": b"layerID layerLabel\n1 likes\n2 helps\n",
        "a_nodes.txt": b"nodeID nodeLabel\n1 ann\n2 bob\n3 cat\n",
    }  # fmt: skip
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    reader = UploadReader([UploadedFile(name, content) for name, content in contents.items()], Uploads())
    assert reader.detected.format == "multilayer"
    assert (reader.preview().n_objects, reader.preview().n_relations) == (3, 2)
    assert reader.build().data == mrwtd.read([tmp_path / name for name in contents])


def test_short_parts_of_a_published_split_are_no_attributes() -> None:
    parts = {"train.txt": b"ann kin bob\nbob likes cat\n", "test.txt": b"dan likes eve\nfay kin gus\n"}
    reader = UploadReader([UploadedFile(name, content) for name, content in parts.items()], Uploads())
    assert reader.detected.format == "splits"
    assert [len(part) for part in reader.build().data.published_split()] == [2, 2, 0]


def test_a_reader_whose_process_has_ended_starts_another_and_reads_again() -> None:
    reader = UploadReader([TIES], Uploads())
    reader.preview()
    os.kill(reader._slot.process.pid, signal.SIGKILL)
    assert len(reader.build().data) == 3


@pytest.mark.parametrize(
    ("limits", "fragment"),
    [(Uploads(seconds=0.0, seconds_per_mb=0.0), "longer than 0 s"), (Uploads(memory_mb=1, memory_factor=0.0), "GB")],
)
def test_a_file_beyond_the_limits_is_refused_with_numbers(limits: Uploads, fragment: str) -> None:
    rows = b"".join(b"a%d,b%d\n" % (number, number + 1) for number in range(100_000))
    reader = UploadReader([UploadedFile("many.csv", b"source,target\n" + rows)], limits)
    with pytest.raises(mrwtd.DataError, match=fragment) as refused:
        reader.preview()
    assert refused.value.file == "many.csv"


def test_a_reader_keeps_the_last_data_and_some_previews() -> None:
    reader = UploadReader([TIES], Uploads())
    for number in range(30):
        reader.build(options={"kinds": {"calls": "real" if number % 2 else "count"}})
        with suppress(mrwtd.DataError):  # there are few columns
            reader.preview(columns={"source": 0, "target": number})
    kinds = [type(result) for result in reader._results.values()]
    assert kinds.count(upload_worker.Built) == 1
    assert len(kinds) < 15
    assert reader.build(options={"kinds": {"calls": "real"}}).data.relations[1].kind == "real"


class LeaveError(Exception):
    """As Streamlit raises one in the script of a user who has left."""


def leave(_: int) -> None:
    raise LeaveError


def test_nothing_is_left_of_an_import_whose_user_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space, content = Workspace(tmp_path), whole_run()
    with monkeypatch.context() as patched:
        patched.setattr(isolated, "POLL_SECONDS", 0.0)  # it asks before there is an answer
        with pytest.raises(LeaveError):
            space.import_run(io.BytesIO(content), partial(unpack_in_process, check=leave))
    assert space.runs() == []
    assert not [*(tmp_path / "runs").iterdir()]
    assert space.import_run(io.BytesIO(content), unpack_in_process).methods


def test_readers_that_share_a_slot_end_the_process_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = Slots(1, clock=count().__next__)
    monkeypatch.setattr(uploads, "slots", lambda: shared)
    first, second = (UploadReader([TIES], Uploads(), user=user) for user in ("ann", "bob"))
    first.preview()
    pid = first._slot.process.pid
    second.preview()
    wait_until_ended(pid)
    assert first._slot.process is None
    assert len(first.build().data) == len(second.build().data) == 3


def test_a_user_who_leaves_while_other_files_are_read_waits_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = Slots(1)
    monkeypatch.setattr(uploads, "slots", lambda: shared)
    reader = UploadReader([TIES], Uploads(), check=leave)
    with shared.use(Slot()):
        with pytest.raises(LeaveError):
            reader.preview()
        with pytest.raises(LeaveError):
            unpack_in_process(b"", Path(), check=leave)
    assert reader._slot.process is None
    reader.check = lambda _: None
    assert reader.preview().n_rows == 3


def test_the_limits_of_an_import_grow_with_the_size_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_bytes(bytes(4_000_000))
    (tmp_path / "run.zip").write_bytes(bytes(4_000_000))
    limits: list[tuple[float, int]] = []

    class Watched(isolated.Process):
        def __init__(self, memory: int):
            self.memory = memory
            super().__init__(memory)

        def call(self, *arguments: object, seconds: float, **options: object) -> None:
            limits.append((seconds, self.memory))
            raise mrwtd.DataError(Problem("enough", "this"))

    monkeypatch.setattr(uploads, "Process", Watched)
    for source in (bytes(4_000_000), tmp_path / "run", tmp_path / "run.zip", b""):
        with pytest.raises(mrwtd.DataError, match="enough"):
            unpack_in_process(source, tmp_path)
    assert limits == [(14.0, 1_020_000_000)] * 3 + [(10.0, 1_000_000_000)]
    limits.clear()
    with pytest.raises(mrwtd.DataError, match="enough"):
        UploadReader([TIES, UploadedFile("more.csv", bytes(2_000_000))], Uploads()).preview()
    size = 2_000_000 + len(TIES.content)
    assert limits == [(pytest.approx(10 + size / 1e6), 1_000_000_000 + 5 * size)]


def test_a_data_set_beyond_the_limits_of_the_server_is_refused() -> None:
    with pytest.raises(mrwtd.DataError, match="max_objects"):
        UploadReader([TIES], Uploads(max_objects=1)).build()


def test_an_imported_run_with_data_beyond_the_limits_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = Config(uploads=Uploads(max_objects=14))
    monkeypatch.setattr(uploads, "config", lambda: small)
    space = Workspace(tmp_path)
    with pytest.raises(mrwtd.DataError, match=r"15 objects.*max_objects"):
        space.import_run(io.BytesIO(whole_run()), unpack_in_process)
    assert (space.runs(), space.datasets()) == ([], {})
    monkeypatch.undo()
    assert space.import_run(io.BytesIO(whole_run()), unpack_in_process).methods


def test_a_crash_of_the_process_is_an_error_about_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_worker, "detect", os.abort)
    with pytest.raises(mrwtd.DataError, match="crashes its reader"):
        _ = UploadReader([TIES], Uploads()).detected

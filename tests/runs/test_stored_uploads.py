"""The files of an upload beside its data: counted, deleted with it, and never those of another description."""

import os
import sys
from itertools import count
from pathlib import Path

import pytest

import mrwtd
from mrwtd.hosting.isolated import Process, ProcessDiedError
from mrwtd.runs import Workspace
from mrwtd.runs.quota import Quota
from mrwtd.runs.storage_error import StorageError
from mrwtd.runs.uploaded_files import Upload, UploadedFile

OLD, NEW = (Upload((UploadedFile(name, os.urandom(20_000)),)) for name in ("old.csv", "new.csv"))


def test_stored_files_are_counted_and_deleted_with_their_data(space: Workspace, data: mrwtd.RelationalData) -> None:
    digest = space.save_dataset(data, {"file": "old.csv"})
    alone = space.usage().bytes
    space.save_dataset(data, {"file": "old.csv"}, OLD)
    assert space.upload(digest) == OLD
    assert space.usage().bytes > alone + 20_000
    small = Workspace(space.folder.with_name("small"), Quota(max_bytes=alone + 10_000))
    with pytest.raises(StorageError, match="max_mb"):
        small.save_dataset(data, {"file": "old.csv"}, OLD)
    assert small.datasets() == {}
    space.delete_dataset(digest)
    assert space.upload(digest) is None
    assert space.usage().bytes == 0


def test_files_are_not_kept_with_the_description_of_others(space: Workspace, data: mrwtd.RelationalData) -> None:
    digest = space.save_dataset(data, {"file": "old.csv"}, OLD)
    space.save_dataset(data, {"file": "new.csv"}, NEW)
    assert space.upload(digest) == NEW
    space.save_dataset(data, {"file": "other.csv"})
    assert space.upload(digest) is None


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_damaged_files_are_as_if_they_were_not_stored(
    space: Workspace, data: mrwtd.RelationalData, damage: str, part: float
) -> None:
    text = UploadedFile("ties.csv", b"".join(b"a%d,b%d\n" % (number, number**2 % 97) for number in range(3_000)))
    digest = space.save_dataset(data, {"file": "ties.csv"}, Upload((text,)))
    file = space.folder / "data" / digest / "upload.zip"
    content = bytearray(file.read_bytes())
    place = int(part * len(content))
    file.write_bytes(content[:place] if damage == "cut" else content[:place] + bytes(8) + content[place + 8 :])
    assert space.upload(digest) is None
    assert space.data(digest) == data


def save_and_die(folder: Path, name: str, upload: Upload, step: int) -> None:
    """Store an upload in a process that dies before one of its steps."""
    steps = count()

    def die(event: str, arguments: tuple[object, ...]) -> None:
        is_write = event == "open" and arguments[1] not in ("r", "rb") and str(arguments[0]).startswith(str(folder))
        if (is_write or event in ("os.rename", "os.remove", "os.mkdir")) and next(steps) == step:
            os._exit(9)

    data = mrwtd.load_dataset("florentine")
    data.digest()
    sys.addaudithook(die)
    Workspace(folder).save_dataset(data, {"file": name}, upload)


@pytest.mark.parametrize("earlier", [False, True], ids=["a new data set", "the same data again"])
def test_a_server_that_is_killed_while_it_stores_an_upload_leaves_nothing_that_is_half_written(
    space: Workspace, data: mrwtd.RelationalData, earlier: bool
) -> None:
    uploads, digest, seen = {"old.csv": OLD, "new.csv": NEW}, data.digest(), []
    for step in count():
        if earlier:
            space.save_dataset(data, {"file": "old.csv"}, OLD)
        try:
            with Process() as process:
                process.call(save_and_die, space.folder, "new.csv", NEW, step)
        except ProcessDiedError:
            died = True
        else:
            died = False
        again = Workspace(space.folder)
        listed = [about["file"] for about in again.datasets().values()]
        assert again.damaged_data() == []
        assert again.runs() == []
        assert not [*space.folder.glob("*/.*")]
        assert len(listed) >= earlier
        for name in listed:
            assert again.data(digest) == data
            assert again.upload(digest) in (None, uploads[name])
        seen.append(listed)
        again.delete_dataset(digest)
        if not died:
            break
    assert seen[-1] == ["new.csv"]
    assert step > 8
    assert seen[0] == (["old.csv"] if earlier else [])

"""Entries that stay in memory-mapped files."""

from pathlib import Path

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError, RelationalData
from mrwtd.data.mapped import is_mapped, read_mapped, write_mapped
from mrwtd.data.relations import Relation


def two_mode() -> RelationalData:
    relations = [Relation("visits", "count", True, types=("woman", "event"))]
    return RelationalData(
        ["ann", "eve", "ball"], relations, [0, 1], [2, 2], [0, 0], [3, 1], w=[0.5, 1.0], part=[0, 1],
        represents=[1.0, 4.0], object_types=["woman", "woman", "event"],
    )  # fmt: skip


@pytest.mark.parametrize("name", ["aucs", "monastery", "two-mode"])
def test_data_are_restored_without_a_copy_of_the_entries(name: str, tmp_path: Path) -> None:
    data = two_mode() if name == "two-mode" else mrwtd.load_dataset(name)
    write_mapped(data, tmp_path / "data")
    assert is_mapped(tmp_path / "data")
    opened = read_mapped(tmp_path / "data")
    assert opened == data
    assert opened.digest() == data.digest()
    assert isinstance(opened.y.base, np.memmap)
    assert opened.observed().split(train=0.5, seed=1) == data.observed().split(train=0.5, seed=1)


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    write_mapped(mrwtd.load_dataset("florentine"), tmp_path / "data")
    with pytest.raises(DataError, match="new folder"):
        write_mapped(two_mode(), tmp_path / "data")
    assert read_mapped(tmp_path / "data") == mrwtd.load_dataset("florentine")


@pytest.mark.parametrize("damage", ["short", "type", "missing", "schema", "objects"])
def test_a_damaged_folder_is_refused(damage: str, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    write_mapped(mrwtd.load_dataset("florentine"), folder)
    if damage == "short":
        np.save(folder / "y.npy", np.ones(3))
    elif damage == "type":
        np.save(folder / "i.npy", np.load(folder / "i.npy").astype(np.float32))
    elif damage == "missing":
        (folder / "j.npy").unlink()
    else:
        (folder / "schema.json").write_text({"schema": "{", "objects": '{"entries": 210}'}[damage])
    with pytest.raises(DataError, match=r"write_mapped|written by mrwtd"):
        read_mapped(folder)

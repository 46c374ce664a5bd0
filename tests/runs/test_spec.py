"""Specifications of runs: unchanged after a round trip through JSON, and refused if types are wrong."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mrwtd.runs import DataRef, MethodSpec, RunSpec, SplitSpec

SPEC = RunSpec(
    DataRef("ties.csv", "My ties", "4f2a", options={"kinds": {"calls": "count"}, "directed": True, "format": None}),
    SplitSpec(0.3, 7, "pair", stratify=True),
    (
        MethodSpec("ours", "MrWTD", {"rank": 3, "lam": "auto", "loss": {"calls": "poisson"}, "ensemble": 2}),
        MethodSpec("Degree", "Degree"),
    ),
)


def test_json_round_trip() -> None:
    again = RunSpec.from_json(json.loads(json.dumps(SPEC.to_json())))
    assert again == SPEC
    assert again.key == SPEC.key
    assert hash(again) == hash(SPEC)


def test_numpy_numbers_are_stored_as_numbers() -> None:
    first, second = (
        RunSpec(DataRef(), SplitSpec(0.5), (MethodSpec("CP", "CP", {"rank": rank, "lam": lam}),))
        for rank, lam in ((np.int64(3), np.float64(0.5)), (3, 0.5))
    )
    assert first.to_json() == second.to_json()
    assert first.key == second.key


def test_the_key_depends_on_numbers_and_not_on_names() -> None:
    def key(**data: Any) -> str:
        return RunSpec(DataRef(**data), SPEC.split, SPEC.methods).key

    assert key(digest="4f2a", title="a") == key(digest="4f2a", title="b", name="x.csv") == SPEC.key
    assert key(digest="4f2b") != SPEC.key
    assert key(name="synth", options={"n_objects": 10}) != key(name="synth", options={"n_objects": 20})


@pytest.mark.parametrize(
    "wrong",
    [
        {"data": None}, {"split": []}, {"methods": {}}, {"methods": []}, {"methods": [3]},
        {"data": {"name": 3}}, {"data": {"digest": "../x"}}, {"data": {"sample": "yes"}},
        {"data": {"options": {"a": {"b": {"c": 1}}}}}, {"data": {"options": {"a, b": 1}}},
        {"data": {"title": "\ud800"}},
        {"split": {"train": 0}}, {"split": {"train": 1.5}}, {"split": {"train": "0.5"}}, {"split": {"train": True}},
        {"split": {"train": float("nan")}}, {"split": {"seed": -1}}, {"split": {"seed": 0.5}},
        {"split": {"by": "row"}}, {"split": {"by": ["auto"]}}, {"split": {"stratify": 1}},
        {"methods": [{"label": "a", "method": 3, "parameters": {}}]},
        {"methods": [{"label": "a", "method": "CP", "parameters": []}]},
        {"methods": [{"label": "a", "method": "CP", "parameters": {"rank=1); import os #": 3}}]},
        {"methods": [{"label": "a", "method": "CP", "parameters": {}}] * 2},
    ],
)  # fmt: skip
def test_other_types_are_refused(wrong: dict[str, Any]) -> None:
    content = SPEC.to_json()
    for name, value in wrong.items():
        content[name] = content[name] | value if isinstance(value, dict) and isinstance(content[name], dict) else value
    with pytest.raises(ValueError, match="no valid"):
        RunSpec.from_json(content)


def test_a_split_can_use_all_entries_for_training() -> None:
    import mrwtd

    data = mrwtd.load_dataset("florentine")
    train, test = SplitSpec(1).parts(data)
    assert (train.digest(), len(test)) == (data.digest(), 0)


def test_a_fold_is_stored_and_has_a_key_of_its_own() -> None:
    import mrwtd

    folds = [replace(SPEC, split=SplitSpec(0.75, 2, folds=4, fold=fold)) for fold in range(4)]
    assert [RunSpec.from_json(spec.to_json()) for spec in folds] == folds
    assert len({SPEC.key, *(spec.key for spec in folds)}) == 5
    assert not {"folds", "fold"} & {*SPEC.to_json()["split"]}
    data = mrwtd.load_dataset("florentine")
    assert sum(len(spec.split.parts(data)[1]) for spec in folds) == len(data)


def test_a_published_split_holds_out_the_test_entries() -> None:
    import mrwtd

    likes = mrwtd.Relation("likes", "binary", directed=True)
    data = mrwtd.RelationalData("abc", [likes], [0, 0, 1, 2], [1, 2, 2, 0], [0] * 4, [1, -1, 1, 1], part=[0, 1, 2, 0])
    split = SplitSpec(0.3, by="published")
    train, test = split.parts(data)
    assert (train.i.tolist(), train.j.tolist()) == ([0, 1, 2], [1, 2, 0])  # the validation entry is for training
    assert (test.i.tolist(), test.j.tolist()) == ([0], [2])
    assert test.drawn_by == {"likes": "published"}
    assert RunSpec.from_json(replace(SPEC, split=split).to_json()).split == split
    assert len(SplitSpec(1, by="published").parts(data)[1]) == 0
    with pytest.raises(mrwtd.DataError, match="without a published split"):
        split.parts(mrwtd.load_dataset("florentine"))
    with pytest.raises(mrwtd.DataError, match="without test entries"):
        split.parts(data.subset(data.part != 1))

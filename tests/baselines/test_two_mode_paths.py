"""Common neighbours between two types of objects: paths of length 3."""

import numpy as np
import pytest

from mrwtd import Relation, RelationalData, evaluate, make_method
from mrwtd.baselines import heuristics

ATTENDS = Relation("attends", "binary", True, types=("woman", "event"))


def data_of(attended: np.ndarray) -> RelationalData:
    women, events = attended.shape
    i, j = (ends.ravel() for ends in np.indices(attended.shape))
    types = ["woman"] * women + ["event"] * events
    names = [f"o{position}" for position in range(women + events)]
    return RelationalData(
        names, [ATTENDS], i, women + j, np.zeros(i.size, dtype=int), attended.ravel(), object_types=types
    )


def count_paths(attended: np.ndarray, i: int, j: int) -> int:
    """The paths i – z – w – j, one by one."""
    women, events = attended.shape
    return sum(
        attended[i, z] > 0 and attended[w, z] > 0 and attended[w, j] > 0
        for w in range(women)
        for z in range(events)
        if w != i and z != j
    )


@pytest.mark.parametrize("cells", [heuristics.CELLS, 24])
def test_paths_of_length_three_are_counted(cells, monkeypatch):
    monkeypatch.setattr(heuristics, "CELLS", cells)  # 24: two women at a time
    attended = np.where(np.random.default_rng(0).random((7, 5)) < 0.4, 1, -1)
    data = data_of(attended)
    model = make_method("Common neighbours").fit(data)
    x = model.decision_function(data)
    counts = [count_paths(attended, i, j - 7) for i, j in zip(data.i, data.j, strict=True)]
    assert len(set(counts)) > 3
    np.testing.assert_allclose(x - x.min(), np.array(counts) - min(counts))
    assert model.decision_function(data.subset([])).size == 0
    tails = model._candidate_scores(0, np.array([0, 3]), "tail")
    np.testing.assert_allclose(tails[:, 7:], x.reshape(7, 5)[[0, 3]])
    heads = model._candidate_scores(0, np.array([8]), "head")
    np.testing.assert_allclose(heads[0, :7], x.reshape(7, 5)[:, 1])


def test_groups_are_recognized():
    groups = np.where(np.arange(20)[:, None] % 2 == np.arange(14)[None, :] % 2, 1, -1)
    train, test = data_of(groups).split(train=0.6, seed=0)
    scores = evaluate(make_method("Common neighbours").fit(train), test)
    assert scores[scores["metric"] == "auprc"]["value"].item() == 1.0

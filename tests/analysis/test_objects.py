"""Known and predicted values of single objects."""

import numpy as np
import pytest

import mrwtd
from mrwtd.analysis.objects import DEGREE_LABELS, degree, held_out_error, nearest_objects, strongest_unknown


def small(kind: str, y: list[float], *, directed: bool = False, levels: tuple[float, ...] = ()) -> mrwtd.RelationalData:
    """a–b, a–c and c–c of one relation; d has no entry."""
    relation = mrwtd.Relation("r", kind, directed, levels)
    return mrwtd.RelationalData("abcd", [relation], [0, 0, 2], [1, 2, 2], [0, 0, 0], y)


def test_ties_count_at_both_ends_and_loops_once() -> None:
    assert degree(small("binary", [1, -1, 1]), "r").tolist() == [1, 1, 1, 0]
    assert degree(small("count", [2, 3, 4]), "r").tolist() == [5, 2, 7, 0]


def test_means_of_values_are_unknown_without_entries() -> None:
    assert degree(small("real", [2, 4, 7]), "r").tolist()[:3] == [3.0, 2.0, 5.5]
    assert np.isnan(degree(small("real", [2, 4, 7]), "r")[3])
    assert degree(small("ordinal", [0, 1, 1], levels=(5.0, 9.0)), "r").tolist()[:3] == [7.0, 5.0, 9.0]


def test_every_kind_has_a_degree() -> None:
    assert set(DEGREE_LABELS) == {relation.kind for relation in mrwtd.load_dataset("synth-kinds").relations}


class Says(mrwtd.model.method.Method):
    """A method with given predictions."""

    def __init__(self, answers: object = None, likely: object = None):
        self.answers, self.likely = answers, likely

    def predict(self, entries):
        return np.asarray(self.answers)

    def predict_proba(self, entries):
        return np.full(len(entries), np.nan) if self.likely is None else np.asarray(self.likely)


def test_errors_are_means_over_the_entries_of_an_object() -> None:
    test = small("binary", [1, -1, 1])
    assert held_out_error(Says(likely=[0.5, 1.0, 1.0]), test, "r").tolist()[:3] == [0.625, 0.25, 0.5]
    assert held_out_error(Says(answers=[-1, -1, 1]), test, "r").tolist()[:3] == [0.5, 1.0, 0.0]
    assert np.isnan(held_out_error(Says(answers=[-1, -1, 1]), test, "r")[3])


def test_errors_of_values_are_in_variances() -> None:
    test = small("real", [1.0, 2.0, 3.0])
    mean = held_out_error(Says(answers=[2.0, 2.0, 2.0]), test, "r")
    doubled = held_out_error(Says(answers=[4.0, 4.0, 4.0]), small("real", [2.0, 4.0, 6.0]), "r")
    assert np.allclose(mean, doubled, equal_nan=True)
    assert np.nansum(mean) > 0


def test_neighbours_are_sorted_and_exclude_the_object() -> None:
    A = np.array([[0.0, 0.0], [5.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    assert nearest_objects(A, 0, top=9)["object"].tolist() == [2, 3, 1]
    assert nearest_objects(A[:1], 0).empty


@pytest.mark.parametrize("name", ["florentine", "monastery", "synth-kinds"])
def test_strongest_predictions_are_the_best_unknown_pairs(name: str) -> None:
    train, _ = mrwtd.load_dataset(name).split(train=0.4, seed=0)
    model = mrwtd.MrWTD(rank=2, lam=1.0, max_iter=30).fit(train)
    who = train.objects[3]
    table = strongest_unknown(model, who, train, top=2)
    pairs = set(zip(train.k.tolist(), train.i.tolist(), train.j.tolist(), strict=True))
    positions = {name: place for place, name in enumerate(train.objects)}
    for k, relation in enumerate(train.relations):
        top_rows = table[table["relation"] == relation.name]
        assert len(top_rows) == 2
        assert ((top_rows["source"] == who) | (top_rows["target"] == who)).all()
        assert top_rows["score"].is_monotonic_decreasing
        for source, target in zip(top_rows["source"], top_rows["target"], strict=True):
            assert (k, positions[source], positions[target]) not in pairs
        best = model.rank_pairs(relation.name, top=10_000, exclude=train)
        best_of_object = best[(best["source"] == who) | (best["target"] == who)]
        assert top_rows["score"].to_numpy() == pytest.approx(best_of_object["score"].to_numpy()[:2])

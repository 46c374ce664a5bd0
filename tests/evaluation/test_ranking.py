"""Ranks of ties among all objects: against PyKEEN, against ranks worked by hand, and for every method.

`pykeen_ranks.json` was made with PyKEEN 1.11.1 and PyTorch 2.13.0: a model whose `score_t` and `score_h` are rows and
columns of A R_k Aᵀ, evaluated by `RankBasedEvaluator(filtered=True)` with the triples of train and test as
`additional_filter_triples`, once for all test triples and once for those of each relation. The factors are small whole
numbers, so that many scores are equal. The values are those of the realistic ranks. PyKEEN stores them in single
precision, which is exact for multiples of 1/2; a subclass of the evaluator averaged them in double precision.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError, Relation, RelationalData
from mrwtd.evaluation import ranking
from mrwtd.model.cancellation import Cancelled, cancel_when
from mrwtd.model.layout import Factors
from mrwtd.model.predictor import Predictor
from tests.baselines.quick_methods import data_of_every_kind, make

PYKEEN = json.loads(Path(__file__).with_name("pykeen_ranks.json").read_text())


class FixedScores(Predictor):
    """A fitted method whose scores are given: one matrix per relation."""

    def __init__(self, scores, data):
        self.scores = np.asarray(scores, dtype=float)
        self.objects_, self.relations_, self.trace_ = data.objects, data.relations, None
        self.object_types_ = data.object_types

    def _reconstruct(self, entries, relations):
        return self.scores[relations[entries.k], entries.i, entries.j]


def triples(rows, n, m, directed=True):
    i, k, j = np.array(rows).T
    relations = [Relation(f"r{k}", "binary", directed) for k in range(m)]
    return RelationalData([f"o{i}" for i in range(n)], relations, i, j, k, np.ones(len(rows)))


def value(frame, metric="mrr", side="both", relation="", frequency=""):
    rows = frame[(frame["relation"] == relation) & (frame["frequency"] == frequency)]
    (result,) = rows.loc[(rows["side"] == side) & (rows["metric"] == metric), "value"]
    return result


@pytest.mark.parametrize("cells", [ranking.CELLS, 70])
@pytest.mark.parametrize("is_generic", [False, True])
def test_agrees_with_pykeen(monkeypatch, cells, is_generic):
    monkeypatch.setattr(ranking, "CELLS", cells)
    A, R = np.array(PYKEEN["A"], dtype=float), np.array(PYKEEN["R"], dtype=float)
    n, m = len(A), len(R)
    test, known = triples(PYKEEN["test"], n, m), triples(PYKEEN["train"] + PYKEEN["test"], n, m)
    if is_generic:
        model = FixedScores(np.einsum("ia,kab,jb->kij", A, R, A), known)
    else:
        model = mrwtd.MrWTD(rank=2, lam=1.0, max_iter=1).fit(known)
        model = model._with_factors(Factors(A, R, tuple(np.zeros(1) for _ in R)))
    frame = mrwtd.evaluate_ranking(model, test, known=known)
    for row in PYKEEN["expected"]:
        relation = "" if row["relation"] is None else f"r{row['relation']}"
        same = (frame["relation"] == relation) & (frame["side"] == row["side"]) & (frame["metric"] == row["metric"])
        (match,) = frame[same & ((frame["relation"] != "") | (frame["frequency"] == ""))].itertuples()
        assert match.value == pytest.approx(row["value"], abs=1e-9)
        assert match.count == row["count"]


def test_ranks_worked_by_hand():
    # o0 → o1 is ranked. As a tail, o2 is better but known, o3 is better, o4 is equal: rank 2.5 of 1, 3 and 4.
    scores = np.zeros((1, 5, 5))
    scores[0, 0] = [0, 2, 9, 3, 2]
    scores[0, :, 1] = [2, 5, 1, 6, 7]  # as a head, o1, o3 and o4 are better than o0: rank 4
    test = triples([(0, 0, 1)], 5, 1)
    known = triples([(0, 0, 1), (0, 0, 2)], 5, 1)
    frame = mrwtd.evaluate_ranking(FixedScores(scores, known), test, known=known)
    assert (value(frame, side="tail"), value(frame, side="head")) == (1 / 2.5, 1 / 4)
    assert value(frame) == (0.4 + 0.25) / 2
    assert [value(frame, metric) for metric in ("hits@1", "hits@3", "hits@10")] == [0, 0.5, 1]
    unfiltered = mrwtd.evaluate_ranking(FixedScores(scores, known), test, known=test)
    assert value(unfiltered, side="tail") == 1 / 3.5


def test_only_objects_of_the_right_type_are_ranked():
    # bea attends e2. The other women score higher as targets, and events as sources, but cannot be either.
    objects, types = ["ann", "bea", "e1", "e2", "e3"], ["woman", "woman", "event", "event", "event"]
    attends = Relation("r0", "binary", True, types=("woman", "event"))
    test = RelationalData(objects, [attends], [1], [3], [0], [1], object_types=types)
    scores = np.zeros((1, 5, 5))
    scores[0, 1] = [9, 9, 4, 2, 1]  # only e1 is a better event: rank 2
    scores[0, :, 3] = [1, 2, 8, 8, 8]  # no woman is better: rank 1
    frame = mrwtd.evaluate_ranking(FixedScores(scores, test), test, known=test)
    assert (value(frame, side="tail"), value(frame, side="head")) == (1 / 2, 1)


def test_only_known_ties_are_left_out():
    relation = Relation("r0", "binary", True)
    known = RelationalData([f"o{i}" for i in range(3)], [relation], [0, 0], [1, 2], [0, 0], [1, -1])
    model = FixedScores([[[0, 1, 2], [0, 0, 0], [0, 0, 0]]], known)
    frame = mrwtd.evaluate_ranking(model, known, known=known)
    assert value(frame, side="tail") == 1 / 2  # the pair o0, o2 is known to have no tie: it is a wrong answer
    assert frame["count"].max() == 2


def test_both_ends_of_undirected_ties():
    # The ties of o1 are known in both directions: o0 is the right partner of o1, and o2 no wrong one.
    scores = [[[0, 3, 5], [3, 0, 9], [5, 9, 0]]]
    known = triples([(0, 0, 1), (1, 0, 2)], 3, 1, directed=False)
    frame = mrwtd.evaluate_ranking(FixedScores(scores, known), triples([(0, 0, 1)], 3, 1, directed=False), known)
    assert (value(frame, side="head"), value(frame, side="tail")) == (1, 1 / 2)


def test_thirds_of_the_relations_by_their_known_ties():
    known = triples([(0, 0, 1), (0, 1, 1), (0, 1, 2), (0, 2, 1), (1, 2, 2), (2, 2, 0)], 3, 3)
    frame = mrwtd.evaluate_ranking(FixedScores(np.zeros((3, 3, 3)), known), known, known)
    thirds = dict(frame[frame["relation"] != ""][["relation", "frequency"]].itertuples(index=False))
    assert thirds == {"r0": "rare", "r1": "medium", "r2": "frequent"}
    for relation, third in thirds.items():
        assert value(frame, frequency=third) == value(frame, relation=relation, frequency=third)
    assert value(frame, relation="r0", frequency="rare") == 1 / 2  # three equal scores


@pytest.mark.parametrize("name", ["MrWTD", "RESCAL", "CP", "MMMF", "MMMF+", "Degree", "Common neighbours", "BTF"])
@pytest.mark.parametrize("directed", [False, True])
def test_methods_rank_by_their_scores(name, directed):
    data = data_of_every_kind(directed)
    data = data.select_relations([relation.name for relation in data.relations if relation.kind == "binary"][:1])
    model = make(name).fit(data.split(train=0.8, seed=0)[0])
    objects = np.array([3, 0])
    for k, relation in enumerate(data.relations):
        for side in ("head", "tail"):
            scores = model.candidate_scores(relation.name, objects, side)
            part = data.slice(k)
            given, other = (data.j, data.i) if side == "head" else (data.i, data.j)
            x = model.decision_function(data)[part]
            for row, position in enumerate(objects):
                entries = np.flatnonzero(given[part] == position)
                assert scores[row, other[part][entries]] == pytest.approx(x[entries], abs=1e-9)


def test_progress_and_cancellation():
    known = triples(PYKEEN["test"], 30, 4)
    model, steps = FixedScores(np.zeros((4, 30, 30)), known), []
    mrwtd.evaluate_ranking(model, known, known, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1] == (80, 80)
    with cancel_when(lambda: True), pytest.raises(Cancelled):
        mrwtd.evaluate_ranking(model, known, known)


def test_entries_that_cannot_be_ranked_are_refused():
    data = mrwtd.load_dataset("florentine")
    model = mrwtd.make_method("Degree").fit(data)
    with pytest.raises(DataError, match="without a tie"):
        mrwtd.evaluate_ranking(model, data.subset(data.y < 0), data)
    with pytest.raises(DataError, match="other objects"):
        mrwtd.evaluate_ranking(model, data, mrwtd.load_dataset("aucs"))
    with pytest.raises(DataError, match="no_relation"):
        model.candidate_scores("no_relation", np.array([0]))


def test_scores_that_are_not_numbers_give_no_rank():
    known = triples([(0, 0, 1)], 3, 1)
    frame = mrwtd.evaluate_ranking(FixedScores(np.full((1, 3, 3), np.nan), known), known, known)
    assert frame["value"].isna().all()

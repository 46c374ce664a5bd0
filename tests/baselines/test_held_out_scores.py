"""Held-out entries that are watched while a method learns: their score is reported, and they do not affect the fit."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import mrwtd
from mrwtd import DataError, RelationalData
from mrwtd.baselines import METHODS
from mrwtd.model.method import Method
from tests.baselines.quick_methods import fit_or_refuse, make, of_every_kind


@pytest.mark.parametrize("name", METHODS)
def test_held_out_entries_are_watched_and_change_nothing(name, fitted, parts):
    train, test = parts
    steps = []
    model = make(name).fit(train, callback=steps.append, held_out=test)
    x = model.decision_function(test)
    assert np.array_equal(x, fitted[name].decision_function(test))
    scores = [
        average_precision_score(test.y[test.slice(k)] > 0, x[test.slice(k)]) for k, _ in enumerate(test.relations)
    ]
    assert score_kept(name, model) == pytest.approx(np.mean(scores))
    assert [step.score for step in steps if step.score is not None] == model.trace_["score"].tolist()
    assert model.watched_ > 0
    assert fitted[name].watched_ == 0
    assert fitted[name].trace_["score"].isna().all()


@pytest.mark.parametrize("name", METHODS)
def test_held_out_entries_of_every_kind_are_watched(name):
    train, test = of_every_kind(directed=True).split(train=0.5, seed=0)
    if fit_or_refuse(make(name), train):
        model = make(name).fit(train, held_out=test)
        assert np.isfinite(model.trace_["score"]).all()
        assert score_kept(name, model) == pytest.approx(model._score(test))


@pytest.mark.parametrize("name", METHODS)
def test_held_out_entries_without_a_training_entry_or_a_weight_are_watched_as_they_are_scored(name, parts):
    train, test = parts
    first, second = (relation.name for relation in train.relations)
    train = train.subset(train.k == 0)  # of the second relation nothing is known
    half = RelationalData(test.objects, test.relations, test.i, test.j, test.k, test.y, np.arange(len(test)) % 2)
    model = make(name).fit(train, held_out=half)
    scores = mrwtd.evaluate(model, half).query("metric == 'auprc'").set_index("relation")["value"]
    assert score_kept(name, model) == pytest.approx(scores[[first, second]].mean())


def score_kept(name: str, model: Method) -> float:
    """The watched score of what a fit has kept: RESCAL the best of its sweeps, all others the last."""
    trace = model.trace_
    return trace["score"][trace["objective"].idxmin() if name == "RESCAL" else len(trace) - 1]


@pytest.mark.parametrize("name", METHODS)
def test_held_out_entries_of_other_data_are_refused(name, parts):
    with pytest.raises(DataError, match=r"held-out entries of 15 objects.*the same 20"):
        make(name).fit(parts[0], held_out=mrwtd.load_dataset("florentine"))
    with pytest.raises(DataError, match="DataFrame as held-out entries"):
        make(name).fit(parts[0], held_out=parts[1].to_frame())

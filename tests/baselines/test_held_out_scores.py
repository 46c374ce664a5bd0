"""Scores of held-out entries during a fit: they are reported, and the entries do not affect the fit."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import mrwtd
from mrwtd import DataError, RelationalData
from mrwtd.baselines import METHODS
from mrwtd.model.method import Method
from tests.baselines.quick_methods import data_of_every_kind, fit_or_refuse, make


@pytest.mark.parametrize("name", METHODS)
def test_held_out_entries_are_scored_and_do_not_change_the_fit(name, fitted, parts):
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
def test_held_out_entries_of_every_kind_are_scored(name):
    train, test = data_of_every_kind(directed=True).split(train=0.5, seed=0)
    if fit_or_refuse(make(name), train):
        model = make(name).fit(train, held_out=test)
        assert np.isfinite(model.trace_["score"]).all()
        assert score_kept(name, model) == pytest.approx(model._score(test))


@pytest.mark.parametrize("name", METHODS)
def test_held_out_entries_without_training_entries_or_weights_are_scored_like_evaluate(name, parts):
    train, test = parts
    first, second = (relation.name for relation in train.relations)
    train = train.subset(train.k == 0)  # nothing is known about the second relation
    half = RelationalData(test.objects, test.relations, test.i, test.j, test.k, test.y, np.arange(len(test)) % 2)
    model = make(name).fit(train, held_out=half)
    scores = mrwtd.evaluate(model, half).query("metric == 'auprc'").set_index("relation")["value"]
    assert score_kept(name, model) == pytest.approx(scores[[first, second]].mean())


def score_kept(name: str, model: Method) -> float:
    """The reported score of the model that the fit keeps: the best sweep of RESCAL, the last step of all others."""
    trace = model.trace_
    return trace["score"][trace["objective"].idxmin() if name.startswith("RESCAL") else len(trace) - 1]


@pytest.mark.parametrize("name", METHODS)
def test_held_out_entries_of_other_data_are_refused(name, parts):
    with pytest.raises(DataError, match=r"held-out entries of 15 objects.*the same 20"):
        make(name).fit(parts[0], held_out=mrwtd.load_dataset("florentine"))
    with pytest.raises(DataError, match="DataFrame as held-out entries"):
        make(name).fit(parts[0], held_out=parts[1].to_frame())

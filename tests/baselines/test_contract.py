"""The contract of all methods: the tests run over the registry, so that they include every new method."""

import io

import numpy as np
import pytest
from sklearn.base import clone

import mrwtd
from mrwtd import DataError, RelationalData
from mrwtd.baselines import METHODS
from mrwtd.data.relations import KINDS
from mrwtd.model import lambda_search
from mrwtd.model import validation_splits as hold_outs
from mrwtd.model.cancellation import cancel_when
from mrwtd.model.predictor import NotFittedError
from mrwtd.model.validation_splits import validation_splits
from tests.baselines.quick_methods import chosen_coding, data_of_every_kind, fit_or_refuse, make


@pytest.mark.parametrize("name", METHODS)
def test_predictions_have_one_value_per_entry(name, fitted, parts):
    model, test = fitted[name], parts[1]
    for answer in (model.decision_function, model.predict, model.predict_proba, model.predict_std):
        assert answer(test).shape == (len(test),)
        assert answer(test).dtype == np.float64
    assert np.isfinite(model.decision_function(test)).all()
    assert set(model.predict(test)) <= {-1.0, 1.0}
    p, spread = model.predict_proba(test), model.predict_std(test)
    assert np.isnan(p).all() or ((p >= 0) & (p <= 1)).all()
    assert np.isnan(spread).all() or (spread >= 0).all()
    single = test.select_relations([test.relations[1].name])
    np.testing.assert_allclose(model.decision_function(single), model.decision_function(test)[test.slice(1)])
    assert model.decision_function(test.subset([])).shape == (0,)


@pytest.mark.parametrize("name", METHODS)
def test_a_collapsed_fit_does_not_rank(name, parts):
    train, test = parts
    model = make(name, lam=1000.0).fit(train)
    if any("collapsed" in message for message in model.messages_):
        x = model.decision_function(test)
        assert all(np.unique(x[test.slice(k)]).size == 1 for k, _ in enumerate(test.relations))


@pytest.mark.parametrize("name", METHODS)
def test_every_fit_sets_the_documented_attributes(name, fitted, parts):
    model = fitted[name]
    assert list(model.trace_.columns) == ["iteration", "objective", "gradient_norm", "seconds", "score"]
    assert model.trace_["iteration"].tolist() == list(range(1, len(model.trace_) + 1))
    assert len(model.trace_) > 0
    assert isinstance(model.converged_, bool)
    assert isinstance(model.messages_, tuple)
    assert all(isinstance(message, str) and message.endswith(".") for message in model.messages_)
    assert set(model.losses_) == {relation.name for relation in parts[0].relations}
    assert model.objects_ == parts[0].objects


@pytest.mark.parametrize("name", METHODS)
def test_inputs_and_parameters_are_not_modified(name, data):
    train, test = data.split(train=0.5, seed=1)
    before = [getattr(part, field).copy() for part in (train, test) for field in "ijkyw"]
    model = make(name)
    params = model.get_params()
    model.fit(train)
    model.predict(test)
    after = [getattr(part, field) for part in (train, test) for field in "ijkyw"]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert all(model.get_params()[key] is value for key, value in params.items())


@pytest.mark.parametrize("name", METHODS)
def test_the_same_seed_gives_identical_results(name, fitted, parts):
    again = make(name).fit(parts[0])
    assert np.array_equal(again.decision_function(parts[1]), fitted[name].decision_function(parts[1]))
    assert np.array_equal(again.trace_["objective"], fitted[name].trace_["objective"])


@pytest.mark.parametrize("name", METHODS)
def test_a_second_fit_forgets_the_first(name, fitted, parts, data):
    model = make(name).fit(data).fit(parts[0])
    assert np.array_equal(model.decision_function(parts[1]), fitted[name].decision_function(parts[1]))


@pytest.mark.parametrize("name", METHODS)
def test_the_callback_sees_the_trace_and_changes_nothing(name, fitted, parts):
    reported = []
    model = make(name).fit(parts[0], callback=reported.append)
    steps = [(step.number, step.objective) for step in reported]  # steps before the trace belong to the initialization
    assert steps[-len(model.trace_) :] == list(zip(model.trace_["iteration"], model.trace_["objective"], strict=True))
    assert np.array_equal(model.decision_function(parts[1]), fitted[name].decision_function(parts[1]))


@pytest.mark.parametrize("name", METHODS)
def test_predict_all_equals_the_separate_predictions(name, fitted, parts):
    model, test = fitted[name], parts[1]
    apart = model.decision_function(test), model.predict(test), model.predict_proba(test)
    for joint, separate in zip(model.predict_all(test), apart, strict=True):
        assert np.array_equal(joint, separate, equal_nan=True)


@pytest.mark.parametrize("name", METHODS)
def test_the_callback_stops(name, fitted, parts):
    calls = []
    model = make(name).fit(parts[0], callback=lambda step: calls.append(step) or True)
    assert len(calls) == 1
    assert len(model.trace_) <= 1
    assert np.isfinite(model.decision_function(parts[1])).all()
    if len(fitted[name].trace_) > 1:
        assert not model.converged_
        assert any("stopped" in message for message in model.messages_)


@pytest.mark.parametrize("name", METHODS)
def test_save_and_load(name, fitted, parts):
    file, model = io.BytesIO(), fitted[name]
    model.save(file)
    loaded = mrwtd.load_model(io.BytesIO(file.getvalue()))
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    assert loaded.messages_ == model.messages_
    for ask in ("decision_function", "predict", "predict_proba", "predict_std"):
        assert np.array_equal(getattr(loaded, ask)(parts[1]), getattr(model, ask)(parts[1]), equal_nan=True)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", METHODS)
def test_a_relation_of_each_kind_is_fitted_or_refused_with_a_reason(name, kind, directed):
    every = data_of_every_kind(directed)
    data = every.select_relations([relation.name for relation in every.relations if relation.kind == kind])
    model = make(name)
    if not fit_or_refuse(model, data):
        return
    predicted = model.predict(data)
    assert np.isfinite(predicted).all()
    assert np.isfinite(model.decision_function(data)).all()
    if kind == "ordinal":
        assert set(predicted) <= set(range(4))
    if kind == "binary":
        assert set(predicted) <= {-1.0, 1.0}
    if kind == "real":  # in the unit of the data, even an unusual one
        i, j, k, y = data.i, data.j, data.k, 1000 + 50 * data.y
        moved = RelationalData(data.objects, data.relations, i, j, k, y)
        np.testing.assert_allclose(make(name).fit(moved).predict(moved), 1000 + 50 * predicted, rtol=1e-3)


@pytest.mark.parametrize("name", METHODS)
def test_kinds_and_directions_mixed_with_an_empty_relation(name, parts):
    mixed = RelationalData(
        parts[0].objects,
        (*parts[0].relations, mrwtd.Relation("to", "binary", True), mrwtd.Relation("amount", "real", False)),
        [*parts[0].i, 0, 1, 2, 3],
        [*parts[0].j, 1, 0, 3, 2],
        [*parts[0].k, 2, 2, 2, 2],
        [*parts[0].y, 1.0, -1.0, 1.0, 1.0],
    )
    model = make(name)
    if not fit_or_refuse(model, mixed):
        return
    entries = RelationalData(mixed.objects, mixed.relations, [0, 0], [1, 1], [2, 3], [1.0, 0.0])
    assert np.isfinite(model.predict(entries)).all()


@pytest.mark.parametrize("name", METHODS)
def test_a_single_entry_is_enough(name, data):
    for lam in (0.5, "auto"):
        model = make(name, lam=lam).fit(data.subset([3]))
        assert np.isfinite(model.decision_function(data)).all()


@pytest.mark.parametrize("name", METHODS)
def test_no_entry_is_refused(name, data):
    with pytest.raises(DataError, match="no training entry"):
        make(name).fit(data.subset([]))


@pytest.mark.parametrize("name", METHODS)
def test_parameters_follow_scikit_learn(name, fitted):
    model = fitted[name]
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "trace_")
    assert copy.set_params(rank=7).get_params()["rank"] == 7
    assert model.get_params()["rank"] == 2
    with pytest.raises(DataError, match="'no such parameter'; expected one of rank"):
        copy.set_params(**{"no such parameter": 1})
    assert eval(repr(copy), {type(copy).__name__: type(copy)}).get_params() == copy.get_params()


@pytest.mark.parametrize("name", METHODS)
def test_predictions_before_the_fit_raise_an_error(name, data):
    for ask in ("decision_function", "predict", "predict_proba"):
        with pytest.raises(NotFittedError, match="fit"):
            getattr(make(name), ask)(data)
    with pytest.raises(NotFittedError):
        make(name).save(io.BytesIO())


@pytest.mark.parametrize("name", METHODS)
def test_a_searched_lambda_is_kept_with_its_path(name, parts):
    model = make(name, lam="auto").fit(parts[0])
    if hasattr(model, "lam_path_"):
        assert model.lam_ > 0
        assert {"lam", "score", "collapsed"} <= set(model.lam_path_.columns)
        assert len(model.lam_path_) >= 3
        again = make(name, lam=model.lam_, max_iter=400, **chosen_coding(model)).fit(parts[0])
        assert model.objective_ < 1.02 * again.objective_  # the final fit reaches the same objective


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_search_does_not_learn_from_held_out_entries(name, kind, monkeypatch):
    monkeypatch.setattr(
        hold_outs, "SMALL", 0
    )  # one hold-out: a second one would train on the entries held out by the first
    monkeypatch.setattr(hold_outs, "TINY", 0)
    complete = data_of_every_kind(directed=True)
    train = complete.select_relations([next(relation.name for relation in complete.relations if relation.kind == kind)])
    params = {"lam": "auto"} | ({"coding": "centred"} if name.startswith("RESCAL") else {})
    if not fit_or_refuse(make(name, **params), train):
        return
    paths = []
    for data in (train, with_other_values_held_out(train)):
        paths.append(path := {})
        make(name, **params).fit(
            data, callback=lambda step, objectives=path: objectives.setdefault(step.stage, []).append(step.objective)
        )
    tried = [stage for stage in paths[0] if stage in paths[1] and stage.kind == "search"]
    assert len(tried) >= 3 or not hasattr(make(name), "max_iter")  # methods without λ try none
    for stage in tried:
        assert paths[0][stage] == paths[1][stage]


def with_other_values_held_out(train: RelationalData) -> RelationalData:
    """The same entries, except that those held out by the search have the largest value, or a much larger one."""
    (hold_out,) = validation_splits(train, seed=0)
    held = hold_out.held
    is_held = np.isin(train.i * train.n_objects + train.j, held.i * train.n_objects + held.j)
    largest = train.y.max() * (50 if train.relations[0].kind in ("real", "count") else 1)
    y = np.where(is_held, largest, train.y)
    return RelationalData(train.objects, train.relations, train.i, train.j, train.k, y)


@pytest.mark.parametrize("name", METHODS)
def test_the_search_for_lambda_can_be_stopped(name, parts):
    steps = []
    model = make(name, lam="auto").fit(parts[0], callback=lambda step: steps.append(step) or len(steps) == 2)
    assert len(steps) == 2 or "lam_path_" not in vars(model)  # methods without λ have their own steps
    assert np.isfinite(model.decision_function(parts[1])).all()


SEARCHING = ["MrWTD-L", "RESCAL", "MMMF", "MMMF+", "CP"]


@pytest.mark.parametrize("name", SEARCHING)
def test_a_stopped_search_keeps_what_its_fits_had_reached(name, parts):
    stopped = make(name, lam="auto").fit(parts[0], callback=lambda step: step.stage.lam == 0.3162)
    assert any("stopped" in message and "three quarters" in message for message in stopped.messages_)
    assert not stopped.converged_
    assert stopped.trace_["objective"].iloc[-1] == pytest.approx(stopped.objective_)
    fitted = validation_splits(parts[0], seed=0)[0].fitted
    one_step = make(name, lam=stopped.lam_, max_iter=1, **chosen_coding(stopped)).fit(fitted)
    assert stopped.objective_ < one_step.objective_


@pytest.mark.parametrize("name", SEARCHING)
def test_a_stop_between_search_and_fit_keeps_the_best_model_of_the_search(name, monkeypatch):
    """On large data the preparation of the fit takes seconds, during which no callback is called."""
    real = [relation.name for relation in data_of_every_kind(directed=False).relations if relation.kind == "real"]
    train, searches = data_of_every_kind(directed=False).select_relations(real), []
    searched = lambda_search.search
    monkeypatch.setattr(
        lambda_search, "search", lambda *arguments: searches.append(searched(*arguments)) or searches[-1]
    )
    model = make(name, lam="auto")
    with cancel_when(lambda: bool(searches)):
        model.fit(train, callback=lambda step: False)
    assert not searches[0].stopped  # the search itself was complete
    assert any("three quarters" in message for message in model.messages_)
    assert model.lam_ in model.lam_path_["lam"].to_numpy()
    # Everything comes from the search, including the scales.
    fitted = validation_splits(train, seed=0)[0].fitted
    assert model.scales_[0, 0] == pytest.approx(fitted.y[fitted.slice(0)].mean())
    assert np.isfinite(model.predict(train)).all()
    file = io.BytesIO()
    model.save(file)
    assert np.array_equal(mrwtd.load_model(io.BytesIO(file.getvalue())).predict(train), model.predict(train))


@pytest.mark.parametrize("name", METHODS)
def test_it_is_documented(name):
    made = type(make(name))
    assert made.__doc__
    assert ">>>" in made.__doc__


@pytest.mark.parametrize("name", METHODS)
def test_counts_are_bounded_by_the_largest_of_all_training_entries(name):
    complete = data_of_every_kind(directed=True)
    counts = complete.select_relations(
        [next(relation.name for relation in complete.relations if relation.kind == "count")]
    )
    model = make(name, lam="auto")
    if fit_or_refuse(model, counts):
        assert model.largest_.tolist() == [counts.y.max()]
        assert model.predict(counts).max() <= counts.y.max()

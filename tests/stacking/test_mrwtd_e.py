"""MrWTD-E: what it averages, its weights for each kind, and how it stops."""

import io

import numpy as np
import pytest

import mrwtd
from mrwtd import RelationalData
from mrwtd.model.cancellation import Cancelled, cancel_when
from mrwtd.stacking import held_out
from mrwtd.stacking.components import LOSSES_OF, candidates
from mrwtd.stacking.mrwtd_e import MrWTDE
from mrwtd.stacking.weights import Blend

QUICK = {"rank": 3, "lam": 1.0, "ensemble": 2, "max_iter": 50, "sweeps": 20, "burn_in": 5}


@pytest.fixture(scope="module")
def parts() -> tuple[RelationalData, ...]:
    return mrwtd.load_dataset("synth-binary", n_objects=40, n_relations=2, rank=3, seed=1).split(train=0.5, seed=0)


@pytest.fixture(scope="module")
def model(parts) -> MrWTDE:
    return MrWTDE(**QUICK).fit(parts[0])


@pytest.fixture(scope="module")
def mixed() -> tuple[RelationalData, ...]:
    return mrwtd.load_dataset("synth-kinds", n_objects=15, rank=2, positives=0.3).split(train=0.6, seed=0)


def test_scores_are_the_weighted_mean_of_those_of_the_components(model, parts):
    test = parts[1]
    rows = model.weights_.query("weight > 0").set_index("component")
    assert rows["weight"].sum() == pytest.approx(1)
    assert set(rows.index) == set(model.components_)
    mean = sum(
        rows.loc[name, "weight"] * (rows.loc[name, "offset"] + rows.loc[name, "slope"] * part.decision_function(test))
        for name, part in model.components_.items()
    )
    assert model.decision_function(test) == pytest.approx(mean)
    candidates = model.candidate_scores(test.relations[0].name, np.array([2]))
    pair = test.subset((test.i == 2) & (test.k == 0))
    assert candidates[0, pair.j] == pytest.approx(model.decision_function(pair))


def test_a_component_alone_gives_its_own_predictions(mixed):
    train, test = mixed
    model = MrWTDE(**{**QUICK, "rank": 2}).fit(train)
    model.weights_["weight"] = (model.weights_["component"] == next(iter(model.components_))).astype(float)
    alone = next(iter(model.components_.values()))
    others = np.array([relation.kind != "binary" for relation in test.relations])[test.k]
    assert model.predict(test)[others] == pytest.approx(alone.predict(test)[others])


def test_each_kind_has_weights_of_its_own(mixed):
    train, test = mixed
    model = MrWTDE(**{**QUICK, "rank": 2}).fit(train)
    sums = model.weights_.groupby("kind")["weight"].sum()
    assert set(sums.index) == {"binary", "ordinal", "count", "real"}
    assert sums.to_numpy() == pytest.approx(1)
    spread = model.predict_std(test)
    assert np.isfinite(spread).all()
    assert (spread >= 0).all()


def test_components_have_different_losses():
    every = mrwtd.load_dataset("synth-kinds", n_objects=12, rank=2)
    for kind in ("binary", "ordinal", "count", "real"):
        data = every.select_relations([relation.name for relation in every.relations if relation.kind == kind])
        names = list(candidates(data, MrWTDE(**QUICK)))
        losses = [LOSSES_OF[name].get(kind, "the default") for name in names if name in LOSSES_OF]
        assert len(losses) == len(set(losses)) >= 2
        assert {"MrWTD-B", "BPTF", "BTF", "Degree"} <= set(names)
        assert ("Constant" in names) == (kind != "binary")


def test_the_probability_is_calibrated(model, parts):
    test = parts[1]
    assert np.mean(model.predict_proba(test)) == pytest.approx(np.mean(test.y > 0), abs=0.1)


def test_a_stop_between_components_keeps_those_that_are_fitted(parts, monkeypatch):
    train, test = parts
    monkeypatch.setattr(held_out, "blend", lambda *_, prior, **__: Blend.unscored(prior))
    started = []

    def stop(step) -> bool:
        if step.stage.kind == "component" and step.stage.option not in started:
            started.append(step.stage.option)
        return len(started) == 2

    model = MrWTDE(**QUICK)
    model.fit(train, callback=stop)
    assert list(model.components_) == started
    assert started[0] == "MrWTD-B"  # the largest weight
    assert not model.converged_
    assert any("stopped" in text for text in model.messages_)
    assert np.isfinite(model.decision_function(test)).all()


def test_cancelled_after_the_first_component_its_fit_is_kept(parts):
    train, test = parts
    seen = []
    model = MrWTDE(**QUICK)
    with cancel_when(lambda: any(step.stage.option == "MrWTD-H" for step in seen)):
        model.fit(train, callback=seen.append)
    assert list(model.components_) == ["MrWTD-L"]
    file = io.BytesIO()
    model.save(file)
    loaded = mrwtd.load_model(io.BytesIO(file.getvalue()))
    assert np.array_equal(loaded.decision_function(test), model.decision_function(test))


@pytest.mark.parametrize("option", ["MrWTD-H", "MrWTD-Q", "MrWTD-B"])
@pytest.mark.parametrize("lam", ["auto", 1.0])
def test_stopped_before_the_weights_are_known_the_first_component_is_kept(parts, lam, option):
    train, test = parts
    model = MrWTDE(**(QUICK | {"lam": lam, "max_iter": 5}))
    model.fit(train, lambda step: step.stage.option == option, test)
    assert list(model.components_) == ["MrWTD-L"]
    assert model.trace_["score"].notna().all()
    file = io.BytesIO()
    model.save(file)
    loaded = mrwtd.load_model(io.BytesIO(file.getvalue()))
    assert np.array_equal(loaded.decision_function(test), model.decision_function(test))


def test_levels_without_structure_get_one_value_which_can_be_stored():
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(16, 1)
    y = rng.choice(3, p=[0.7, 0.2, 0.1], size=i.size).astype(float)
    relation = mrwtd.Relation("rates", "ordinal", directed=False, levels=(1, 2, 3))
    data = RelationalData([f"o{number}" for number in range(16)], [relation], i, j, np.zeros_like(i), y)
    train, test = data.split(train=0.3, seed=0)
    model = MrWTDE(**{**QUICK, "rank": 2}).fit(train)
    assert set(model.components_) == {"Constant"}
    assert set(model.predict(test)) == {0.0}  # the median
    file = io.BytesIO()
    model.save(file)
    assert set(mrwtd.load_model(io.BytesIO(file.getvalue())).predict(test)) == {0.0}


def only_constant(predictions, *_, kind, prior, constant):
    """Prior weights for binary relations, and the constant for others."""
    return Blend.unscored(prior if kind == "binary" else np.eye(len(predictions))[constant])


def test_one_value_for_all_pairs_has_no_error_bar(mixed, monkeypatch):
    train, test = mixed
    monkeypatch.setattr(held_out, "blend", only_constant)
    model = MrWTDE(**{**QUICK, "rank": 2}).fit(train)
    binary = np.array([relation.kind == "binary" for relation in test.relations])[test.k]
    spread = model.predict_std(test)
    assert np.isnan(spread[~binary]).all()
    assert (spread[binary] > 0).all()


def test_stopped_after_the_first_component_binary_relations_are_ranked(mixed, monkeypatch):
    train, test = mixed
    monkeypatch.setattr(held_out, "blend", only_constant)
    model = MrWTDE(**{**QUICK, "rank": 2})
    model.fit(train, callback=lambda step: step.stage.kind == "component")
    assert len(model.components_) == 1
    binary = np.array([relation.kind == "binary" for relation in test.relations])[test.k]
    assert np.ptp(model.decision_function(test)[binary]) > 0


def test_cancelled_before_anything_is_fitted_there_is_no_result():
    data = mrwtd.load_dataset("florentine")
    with pytest.raises(Cancelled), cancel_when(lambda: True):
        MrWTDE(**QUICK).fit(data.subset(np.arange(len(data)) == 0))


def test_a_file_has_the_training_entries_of_no_component(model):
    assert all(getattr(part, "train_", None) is None for part in model.components_.values())

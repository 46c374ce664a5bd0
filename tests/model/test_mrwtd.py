import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import mrwtd
from mrwtd import DataError, MrWTD, RelationalData
from mrwtd.data.relations import Relation
from mrwtd.metrics.ranking_curve import average_precision
from mrwtd.model import mrwtd as mrwtd_module
from mrwtd.model.cancellation import cancel_when
from mrwtd.model.progress import Stage


@pytest.fixture(scope="module")
def planted() -> RelationalData:
    """Binary relations of true rank 3 among 60 objects."""
    return mrwtd.load_dataset("synth-binary", n_objects=60, n_relations=3, rank=3, seed=1)


@pytest.fixture(scope="module")
def parts(planted):
    return planted.split(train=0.4, seed=0)


@pytest.fixture(scope="module")
def fitted(parts):
    return MrWTD(rank=3, lam=0.3, snapshots=5).fit(parts[0])


def score(model, test: RelationalData) -> float:
    x = model.decision_function(test)
    return float(np.mean([average_precision(test.y[s], x[s]) for s in map(test.slice, range(test.n_relations))]))


def test_planted_structure_is_recovered(fitted, parts):
    assert score(fitted, parts[1]) > 0.75  # the base rate is 0.1
    assert fitted.converged_
    assert fitted.messages_ == ()


@pytest.fixture(scope="module")
def easy() -> tuple[RelationalData, RelationalData]:
    """Entries and a λ at which all optima, between which the start and rounding decide, are good."""
    return mrwtd.load_dataset("synth-binary", n_objects=60, n_relations=3, rank=3, seed=2).split(train=0.6, seed=0)


@pytest.mark.parametrize("loss", ["quadratic", "smooth-hinge", "logistic"])
@pytest.mark.parametrize("start", ["spectral", "eigen", "random"])
def test_every_start_and_loss_learns(easy, loss, start):
    train, test = easy
    auprc = score(MrWTD(rank=3, lam=1.0, loss=loss, init=start).fit(train), test)
    assert auprc > 4 * np.mean(test.y > 0), "what has learned nothing scores the share of positives"


def test_the_spectral_start_is_better_than_that_of_the_paper(parts):
    first = {s: MrWTD(rank=3, lam=0.3, init=s, max_iter=1).fit(parts[0]).objective_ for s in ("spectral", "eigen")}
    assert first["spectral"] < first["eigen"]


def test_the_same_seed_gives_identical_results(parts):
    for options in ({}, {"init": "random"}, {"ensemble": 2}, {"lam": "auto"}):
        a, b = (MrWTD(**{"rank": 3, "lam": 0.3, **options}).fit(parts[0]) for _ in range(2))
        assert np.array_equal(a.decision_function(parts[1]), b.decision_function(parts[1]))
    other = MrWTD(rank=3, lam=0.3, init="random", seed=7).fit(parts[0])
    assert not np.array_equal(other.A_, a.A_)


def test_r_is_symmetric_exactly_where_the_relation_is_undirected(mixed):
    model = MrWTD(rank=3, lam=0.5).fit(mixed)
    for R, relation in zip(model.R_, mixed.relations, strict=True):
        assert relation.directed == (not np.allclose(R, R.T))


def test_every_kind_is_predicted_in_its_own_unit(mixed):
    model = MrWTD(rank=3, lam=0.5).fit(mixed)
    predicted, p = model.predict(mixed), model.predict_proba(mixed)
    for k, relation in enumerate(mixed.relations):
        values, known = predicted[mixed.slice(k)], p[mixed.slice(k)]
        if relation.kind == "binary":
            assert set(values) <= {-1.0, 1.0}
            assert np.array_equal(values > 0, known >= 0.5)
        else:
            assert np.isnan(known).all()
        if relation.kind == "ordinal":
            assert set(values) <= {0.0, 1.0, 2.0}
            assert model.b_[k] == 0
        if relation.kind == "count":
            assert (values > 0).all()
    assert list(model.cuts_) == ["liking"]
    assert (np.diff(model.cuts_["liking"]) > 0).all()


def test_ordinal_levels_of_planted_data_are_found():
    data = mrwtd.load_dataset("synth-kinds", rank=3, seed=2)
    train, test = data.split(train=0.5, seed=0)
    model = MrWTD(rank=3, lam=2.0).fit(train)
    for k, relation in enumerate(test.relations):
        part = test.slice(k)
        y, guess = test.y[part], model.predict(test)[part]
        floor = np.full(y.shape, np.median(y) if relation.kind == "ordinal" else y.mean())
        share = 0.9 if relation.kind == "count" else 0.8  # counts are noisy even if their rate is known
        assert np.abs(y - guess).mean() < share * np.abs(y - floor).mean(), relation


def test_cut_points_are_kept_in_ascending_order(mixed):
    """A stopped fit may leave them in any order, but levels are looked up in sorted cut points."""
    model = MrWTD(rank=2, lam=1.0).fit(mixed)
    problem = model._problem(mixed)
    theta = np.append(np.zeros(problem.objective.layout.size - 2), [1.5, -0.5])  # the last relation is the ordinal one
    model._store(problem, theta)
    np.testing.assert_array_equal(model.cuts_["liking"], [-0.5, 1.5])


def test_a_real_relation_is_predicted_in_its_unit(mixed):
    far = mixed.select_relations(["distance"])
    moved = RelationalData(far.objects, far.relations, far.i, far.j, far.k, 1000 + 50 * far.y, far.w)
    a, b = (MrWTD(rank=2, lam=0.1).fit(data) for data in (far, moved))
    assert b.predict(moved) == pytest.approx(1000 + 50 * a.predict(far), rel=1e-6)
    plain = MrWTD(rank=2, lam=0.1, standardize=False).fit(moved)
    assert np.array_equal(plain.scales_, [[0.0, 1.0]])


def test_weights_of_zero_equal_missing_entries(parts):
    train = parts[0]
    w = np.random.default_rng(0).integers(0, 2, len(train)).astype(float)
    weighted = RelationalData(train.objects, train.relations, train.i, train.j, train.k, train.y, w)
    a = MrWTD(rank=3, lam=0.3, tol=0, max_iter=400).fit(weighted)
    b = MrWTD(rank=3, lam=0.3, tol=0, max_iter=400).fit(train.subset(w > 0))
    assert a.objective_ == pytest.approx(b.objective_, rel=1e-3)


def test_a_positive_weight_raises_positives(parts):
    train, test = parts
    plain = MrWTD(rank=3, lam=0.3).fit(train)
    heavy = MrWTD(rank=3, lam=0.3, positive_weight={train.relations[0].name: 20}).fit(train)
    share = [(model.predict(test)[test.slice(0)] > 0).mean() for model in (plain, heavy)]
    assert share[1] > share[0]


def test_an_ensemble_is_the_mean_of_its_members_with_a_spread(parts):
    train, test = parts
    model = MrWTD(rank=3, lam=0.05, ensemble=3).fit(train)
    assert len(model.members_) == 3
    assert (model.predict_std(test) > 0).any()
    assert np.isnan(MrWTD(rank=3, lam=0.3).fit(train).predict_std(test)).all()
    p = model.predict_proba(test)
    assert ((p >= 0) & (p <= 1)).all()


def test_snapshots_replay_the_fit(fitted, parts):
    numbers = [snapshot.iteration for snapshot in fitted.snapshots_]
    assert 2 <= len(numbers) <= 5
    assert numbers == sorted(numbers)
    assert numbers[-1] == len(fitted.trace_)
    assert np.array_equal(fitted.snapshots_[-1].factors.A, fitted.A_)
    assert not np.array_equal(fitted.snapshots_[0].factors.A, fitted.A_)


def test_the_trace_decreases_and_has_the_held_out_score(parts):
    train, test = parts
    model = MrWTD(rank=3, lam=0.3).fit(train, held_out=test)
    assert (model.trace_["objective"].diff().dropna() <= 1e-9).all()
    assert model.trace_["score"].iloc[-1] == pytest.approx(score(model, test))
    assert MrWTD(rank=3, lam=0.3).fit(train).trace_["score"].isna().all()


def test_the_callback_sees_every_iteration_and_may_stop(parts):
    steps = []
    model = MrWTD(rank=3, lam=0.3).fit(parts[0], callback=lambda step: steps.append(step) or len(steps) == 4)
    assert [step.number for step in steps] == [1, 2, 3, 4]
    assert len(model.trace_) == 4
    assert not model.converged_
    assert "stopped" in model.messages_[0]
    assert np.isfinite(model.decision_function(parts[1])).all()


def test_a_stop_during_the_search_leaves_a_usable_model(parts):
    model = MrWTD(rank=3).fit(parts[0], callback=lambda step: step.stage.kind == "search")
    assert "stopped" in " ".join(model.messages_)
    assert np.isfinite(model.predict(parts[1])).all()


def test_a_stop_between_iterations_keeps_the_last(parts):
    objectives = []
    with cancel_when(lambda: len(objectives) >= 3):
        model = MrWTD(rank=3, lam=0.3).fit(parts[0], callback=lambda step: objectives.append(step.objective))
    assert len(objectives) == len(model.trace_) == 3
    assert model.objective_ == objectives[-1]
    assert "stopped" in model.messages_[0]


def test_of_a_stopped_ensemble_the_finished_members_are_kept(parts):
    stages = []
    model = MrWTD(rank=3, lam=0.3, ensemble=4)
    with cancel_when(lambda: Stage("refit", 3, 4) in stages):
        model.fit(parts[0], callback=lambda step: stages.append(step.stage))
    assert len(model.members_) == 2
    assert "stopped" in model.messages_[0]
    complete = MrWTD(rank=3, lam=0.3, ensemble=4).fit(parts[0])
    assert np.array_equal(model.members_[1].A, complete.members_[1].A)
    assert np.array_equal(model.A_, MrWTD(rank=3, lam=0.3).fit(parts[0]).A_)


def test_collapse_the_iteration_limit_and_a_rank_too_high_are_reported(parts):
    train = parts[0]
    collapsed = MrWTD(rank=3, lam=1e4).fit(train)
    assert collapsed.diagnostics_[0].values == {"lam": 1e4, "cause": "lambda"}
    assert np.ptp(collapsed.decision_function(train)[train.slice(0)]) < 1e-3
    (cut,) = MrWTD(rank=3, lam=0.01, max_iter=2).fit(train).diagnostics_
    assert (cut.code, cut.values["iterations"]) == ("not_converged", 2)
    assert "rank_above_objects" in codes(MrWTD(rank=61, lam=1.0).fit(train))
    assert "underdetermined" in codes(MrWTD(rank=59, lam=0, max_iter=30).fit(train))


def codes(model: MrWTD) -> list[str]:
    """Codes of the diagnostics of a fitted model."""
    return [fact.code for fact in model.diagnostics_]


def test_unused_factors_are_reported_and_have_no_effect(parts):
    wide = MrWTD(rank=12, lam=3.0).fit(parts[0])
    (fact,) = wide.diagnostics_
    assert fact.code == "rank_unused"
    narrow = MrWTD(rank=fact.values["used"], lam=3.0).fit(parts[0])
    assert narrow.objective_ == pytest.approx(wide.objective_, rel=0.01)
    assert np.corrcoef(narrow.decision_function(parts[1]), wide.decision_function(parts[1]))[0, 1] > 0.99


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rank": 0}, "rank = 0; expected a whole number from 1"),
        ({"rank": 2.5}, "rank = 2.5"),
        ({"lam": -1}, "lam = -1; expected a number from 0 to 1e"),
        ({"lam": "best"}, "lam = 'best'"),
        ({"init": "zero"}, "one of 'spectral', 'eigen', 'random'"),
        ({"tol": 2}, "from 0 to 1"),
        ({"max_iter": 0}, "max_iter = 0"),
        ({"ensemble": 0}, "ensemble = 0"),
        ({"seed": -1}, "seed = -1"),
        ({"positive_weight": -2}, "positive_weight = -2"),
        ({"positive_weight": {"nobody": 2}}, "the relation 'nobody' in positive_weight"),
        ({"loss": "hinge"}, "one of quadratic"),
        ({"loss": {"nobody": "logistic"}}, "the relation 'nobody' in loss"),
        ({"loss": "poisson"}, "for the binary relation"),
        ({"loss": 3}, "a name"),
    ],
)
def test_bad_parameters_are_refused_in_fit(parts, options, message):
    model = MrWTD(**options)
    with pytest.raises(DataError, match=message):
        model.fit(parts[0])


def test_it_is_an_estimator():
    model = MrWTD(rank=4, loss={"a": "logistic"}, lam=2.0)
    copy = clone(model)
    assert copy is not model
    assert copy.get_params() == model.get_params()
    assert model.set_params(rank=9).rank == 9
    with pytest.raises(DataError, match="'rnk'"):
        model.set_params(rnk=3)
    with pytest.raises(AttributeError, match="not fitted"):
        model.predict(mrwtd.load_dataset("florentine"))
    assert repr(MrWTD(rank=4)).startswith("MrWTD(rank=4, loss='auto'")


def test_an_empty_relation_and_a_single_entry_are_accepted():
    relations = [Relation("a", "binary", True), Relation("b", "count", False)]
    data = RelationalData(["x", "y", "z"], relations, [0], [1], [0], [1.0])
    model = MrWTD(rank=2).fit(data)
    assert np.isfinite(model.decision_function(data)).all()
    nothing = data.subset(np.zeros(1, dtype=bool))
    with pytest.raises(DataError, match="no training entry"):
        model.fit(nothing)
    assert model.decision_function(nothing).shape == (0,)


def test_unknown_objects_are_refused_by_name(fitted, parts):
    other = RelationalData(["q", "r"], fitted.relations_, [0], [1], [0], [1.0])
    with pytest.raises(DataError, match="the object 'q'"):
        fitted.predict(other)
    renamed = RelationalData(fitted.objects_, [Relation("likes", "binary", False)], [0], [1], [0], [1.0])
    with pytest.raises(DataError, match="the relation 'likes'"):
        fitted.predict(renamed)
    some = parts[1].select_relations([fitted.relations_[2].name, fitted.relations_[0].name])
    scores = fitted.decision_function(parts[1])
    assert np.array_equal(fitted.decision_function(some)[some.slice(0)], scores[parts[1].slice(2)])


def test_lam_auto_searches_held_out_entries_and_keeps_the_path(parts):
    train, test = parts
    model = MrWTD(rank=3).fit(train)
    path = model.lam_path_
    assert path["lam"].is_monotonic_decreasing
    assert model.lam_ in path["lam"].to_numpy()
    best = path.loc[path.loc[~path["collapsed"], "score"].idxmax()]
    assert path.loc[path["lam"] == model.lam_, "score"].item() >= best["score"] - 2 * best["noise"]
    assert path["collapsed"].iloc[0], "λ = 1000 leaves nothing of so small a data set"
    assert score(model, test) > 0.8
    assert isinstance(path, pd.DataFrame)


def test_large_data_starts_with_a_sample(planted):
    stages = []
    model = MrWTD(rank=1, lam=1.0).fit(planted, callback=lambda step: stages.append(step.stage))
    assert stages[0] == Stage("warm-up")
    assert stages[-1] == Stage("fit")
    plain = MrWTD(rank=1, lam=1.0, init="random", tol=1e-6).fit(planted)
    assert model.objective_ == pytest.approx(plain.objective_, rel=0.02)


def test_a_stop_in_the_warm_up_keeps_its_factors(planted):
    stages = []
    model = MrWTD(rank=1, lam=1.0)
    with cancel_when(lambda: len(stages) >= 5):
        model.fit(planted, callback=lambda step: stages.append(step.stage))
    assert set(stages[:5]) == {Stage("warm-up")}
    assert len(model.trace_) == 1
    assert not model.converged_
    assert "stopped" in model.messages_[0]
    beginning = MrWTD(rank=1, lam=1.0, init="random", max_iter=1).fit(planted)
    assert model.objective_ < beginning.objective_


def test_no_count_is_predicted_above_the_largest_of_training():
    data = mrwtd.load_dataset("airports")
    train, test = data.split(train=0.25, seed=0)
    flights = test.select_relations(["flights"])
    largest = train.y[train.slice(0)].max()
    for options in ({"lam": 0.01}, {"lam": 0.01, "loss": "quadratic"}, {"lam": 0.3, "ensemble": 2}):
        predicted = MrWTD(rank=8, **options).fit(train).predict(flights)
        assert predicted.max() <= largest
        assert predicted.min() >= 0
    assert (MrWTD(rank=8, lam=0.01).fit(train).decision_function(flights) > np.log(largest)).any(), "x does go beyond"


@pytest.mark.parametrize(("rank", "stops_earlier"), [(1, True), (3, False)])
def test_a_fit_to_plenty_of_entries_stops_earlier_and_predicts_as_well(planted, monkeypatch, rank, stops_earlier):
    train, test = planted.split(train=0.8, seed=0)
    fits = [MrWTD(rank=rank, lam=1.0).fit(train)]
    monkeypatch.setattr(mrwtd_module, "LARGE", len(train))
    fits.append(MrWTD(rank=rank, lam=1.0).fit(train))  # with rank 3, there are few entries for each number
    assert (len(fits[1].trace_) < len(fits[0].trace_)) == stops_earlier
    assert score(fits[1], test) == pytest.approx(score(fits[0], test), abs=0.005)

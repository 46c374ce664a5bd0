"""Ensembles: refits to random weights of the entries, averaged."""

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd import MrWTD, RelationalData
from mrwtd.model.cancellation import cancel_when


@pytest.fixture(scope="module")
def parts() -> tuple[RelationalData, ...]:
    return mrwtd.load_dataset("synth-binary", n_objects=60, n_relations=3, rank=3, seed=1).split(train=0.4, seed=0)


def test_the_members_of_an_ensemble_are_refits_to_random_weights(parts):
    train, test = parts
    model = MrWTD(rank=3, lam=0.3, ensemble=3).fit(train)
    single = MrWTD(rank=3, lam=0.3).fit(train)
    assert np.array_equal(model.A_, single.A_), "A_ is that of the fit to all entries"
    x = [member_x(model, number, test) for number in range(3)]
    assert model.decision_function(test) == pytest.approx(np.mean(x, axis=0))
    assert min(np.abs(scores - single.decision_function(test)).max() for scores in x) > 0.01
    again = MrWTD(rank=3, lam=0.3, ensemble=3).fit(train)
    assert np.array_equal(again.decision_function(test), model.decision_function(test))


def member_x(model: MrWTD, number: int, data: RelationalData) -> np.ndarray:
    """a_i R_k a_j + b_k of one member, entry by entry."""
    A, R, b = model.members_[number].A, model.members_[number].R, model.members_[number].extras
    return np.array([A[i] @ R[k] @ A[j] + b[k][0] for i, j, k in zip(data.i, data.j, data.k, strict=True)])


def test_an_explanation_of_an_ensemble_averages_its_members(mixed):
    model = MrWTD(rank=2, lam=0.3, ensemble=4, tol=1e-9, max_iter=3000).fit(mixed)
    for relation in mixed.relations:
        if relation.kind == "ordinal":
            continue
        pair = RelationalData(mixed.objects, [relation], [0], [1], [0], [1.0])
        why = model.explain("o0", "o1", relation.name)
        assert why.x == pytest.approx(model.decision_function(pair)[0])
        assert why.bias + why.factors["contribution"].sum() == pytest.approx(why.x)
        for entries in (why.source_entries, why.target_entries):
            assert why.bias + entries["contribution"].sum() == pytest.approx(why.x, abs=0.02)
        turned = np.linalg.qr(np.random.default_rng(0).normal(size=(2, 2)))[0]
        assert model.explain("o0", "o1", relation.name, axes=turned).x == pytest.approx(why.x)


def test_an_ensemble_folds_new_objects_into_every_member(parts):
    train, _ = parts
    model = MrWTD(rank=3, lam=0.3, ensemble=3).fit(train)
    name = train.relations[0].name
    rows = pd.DataFrame({"source": "new", "relation": name, "target": train.objects[:4], "value": [1.0, -1, 1, -1]})
    wider = model.fold_in(rows)
    pairs = wider.rank_pairs(name, top=3)
    assert len(wider.members_) == 3
    assert len(pairs) == 3
    single = MrWTD(rank=3, lam=0.3).fit(train).fold_in(rows)
    assert np.array_equal(wider.A_, single.A_)


def test_one_refit_is_no_ensemble(parts):
    train, test = parts
    model = MrWTD(rank=3, lam=0.3, ensemble=5).fit(
        train, callback=lambda step: (step.stage.kind, step.stage.number) == ("refit", 2)
    )
    single = MrWTD(rank=3, lam=0.3).fit(train)
    assert np.array_equal(model.decision_function(test), single.decision_function(test))
    assert np.isnan(model.predict_std(test)).all()
    assert any("stopped" in text for text in model.messages_)


def test_refits_at_the_iteration_limit_are_counted(parts):
    model = MrWTD(rank=3, lam=0.3, ensemble=3, tol=1e-12, max_iter=20).fit(parts[0])
    assert not model.converged_
    assert any("3 of 3 refits" in text for text in model.messages_)


def test_an_ensemble_of_cp_is_explained_by_products_of_a_factor_with_itself(parts):
    model = mrwtd.make_method("CP", rank=3, lam=0.3, ensemble=3).fit(parts[0])
    objects, relation = model.objects_, model.relations_[0].name
    why = model.explain(objects[0], objects[1], relation)
    mixed = why.factors["source_factor"] != why.factors["target_factor"]
    assert np.abs(why.factors.loc[mixed, "contribution"]).max() == 0
    pair = RelationalData(objects, model.relations_[:1], [0], [1], [0], [1.0])
    assert why.x == pytest.approx(model.decision_function(pair)[0])


def test_processes_fit_the_same_members(parts):
    train, test = parts
    alone = MrWTD(rank=3, lam=0.3, ensemble=4).fit(train)
    steps = []
    together = MrWTD(rank=3, lam=0.3, ensemble=4, n_jobs=2).fit(train, lambda step: steps.append(step))
    np.testing.assert_array_equal(together.decision_function(test), alone.decision_function(test))
    assert together.evaluations_ == alone.evaluations_
    assert [step.stage.number for step in steps if step.stage.kind == "refit"] == [1, 2, 3, 4]
    stopped = MrWTD(rank=3, lam=0.3, ensemble=50, n_jobs=2).fit(train, lambda step: step.stage.number == 3)
    assert len(stopped.members_) == 3
    assert [fact.code for fact in stopped.diagnostics_][-1:] == ["stopped"]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_refits_before_a_cancellation_are_kept(parts, n_jobs):
    steps = []
    with cancel_when(lambda: len(steps) >= 2):
        model = MrWTD(rank=3, lam=0.3, ensemble=50, n_jobs=n_jobs).fit(
            parts[0], lambda step: steps.append(step) if step.stage.kind == "refit" and step.stage.number >= 3 else None
        )
    assert 2 <= len(model.members_) < 50

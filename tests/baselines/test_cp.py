import numpy as np

import mrwtd
from mrwtd import MrWTD, RelationalData
from mrwtd.baselines.cp import CP
from mrwtd.data.relations import Relation
from mrwtd.model.validation_splits import ValidationSplit


def planted(n: int = 40, rank: int = 3, relations: int = 4) -> RelationalData:
    """Real relations that are sums of the same `rank` outer products, each with its own weights, without noise."""
    rng = np.random.default_rng(0)
    A, r = rng.normal(size=(n, rank)), rng.normal(size=(relations, rank))
    i, j = np.triu_indices(n, 1)
    y = np.concatenate([(A[i] * A[j]) @ weights for weights in r])
    k = np.repeat(np.arange(relations), i.size)
    names = [Relation(f"r{index}", "real", False) for index in range(relations)]
    return RelationalData(
        [f"o{index}" for index in range(n)], names, np.tile(i, relations), np.tile(j, relations), k, y
    )  # fmt: skip


def test_r_stays_diagonal_in_every_member():
    model = CP(rank=3, lam=0.5, ensemble=2, init="random").fit(mrwtd.load_dataset("florentine"))
    for member in model.members_:
        assert np.array_equal(member.R, member.R * np.eye(3))
        assert np.abs(member.R).max() > 0


def test_planted_outer_products_are_recovered():
    train, test = planted().split(train=0.5, seed=0)
    model = CP(rank=3, lam=1e-3, max_iter=2000, tol=1e-9).fit(train)
    assert np.corrcoef(model.predict(test), test.y)[0, 1] > 0.99


def test_a_full_r_fits_at_least_as_well():
    data = mrwtd.load_dataset("synth-binary", n_objects=40, n_relations=5, rank=3)
    diagonal, full = (method(rank=3, lam=0.1, tol=1e-7, max_iter=2000).fit(data).objective_ for method in (CP, MrWTD))
    assert full < diagonal


def test_rank_one_is_mrwtd():
    data = mrwtd.load_dataset("florentine")
    cp, bilinear = (method(rank=1, lam=0.5).fit(data).decision_function(data) for method in (CP, MrWTD))
    np.testing.assert_allclose(cp, bilinear)


def test_directions_are_ignored_and_a_message_reports_it():
    data = mrwtd.load_dataset("synth-kinds", n_objects=15, rank=2, directed=True)
    model = CP(rank=2, lam=0.5).fit(data)
    turned = RelationalData(data.objects, data.relations, data.j, data.i, data.k, data.y)
    back = np.lexsort((data.i, data.j, data.k))
    np.testing.assert_allclose(model.decision_function(turned), model.decision_function(data)[back])
    assert any("both directions" in message for message in model.messages_)


def test_a_fit_with_vanished_factors_is_not_resumable():
    train, held = mrwtd.load_dataset("synth-binary", n_objects=40, n_relations=3, rank=3, positives=0.3).split(
        train=0.7
    )
    model = CP(rank=3)
    attempt = model._trial(ValidationSplit(train, held), None)
    result = attempt(1.0, None, "")
    assert result.resumable
    before = result.state.copy()
    before[: 40 * 3].reshape(40, 3)[:, 1] = 0.0
    before[40 * 3 : -3].reshape(3, 3, 3)[:, 1, 1] = 0.0
    assert not attempt(0.5, before, "").resumable

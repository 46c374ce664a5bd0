import numpy as np
import pytest
from scipy.optimize import approx_fprime

from mrwtd import DataError, MrWTD
from mrwtd.data.relations import KINDS, Relation
from mrwtd.model.losses import LOSSES, Loss, default_loss, register
from tests.reference import entry_loss

VALUES = {"binary": [-1.0, 1.0], "ordinal": [0.0, 1.0, 2.0], "count": [0.0, 1.0, 7.0], "real": [-2.0, 0.0, 1.3]}
PLACES = [-3.1, -1.0001, -0.4, 0.0, 0.3, 0.9, 1.2, 4.0]
EXTREMES = [-1e3, -50.0, 50.0, 1e3]


def relation_of(kind: str) -> Relation:
    return Relation("r", kind, True, (0, 1, 2) if kind == "ordinal" else ())


@pytest.fixture(params=[(name, kind) for name, loss in LOSSES.items() for kind in loss.kinds], ids="-".join)
def case(request) -> tuple[Loss, Relation, np.ndarray]:
    loss, relation = LOSSES[request.param[0]], relation_of(request.param[1])
    return loss, relation, np.linspace(-0.6, 0.8, loss.extras(relation))


def test_derivatives_agree_with_finite_differences(case):
    loss, relation, extras = case
    for y in VALUES[relation.kind]:
        for x in PLACES:
            value, slope, slopes = loss.evaluate(np.array([y]), np.array([x]), extras)
            step = 1e-6
            high = loss.evaluate(np.array([y]), np.array([x + step]), extras)[0][0]
            low = loss.evaluate(np.array([y]), np.array([x - step]), extras)[0][0]
            assert slope[0] == pytest.approx((high - low) / (2 * step), abs=1e-5)
            numeric = approx_fprime(extras, lambda e, y=y, x=x: loss.evaluate(np.array([y]), np.array([x]), e)[0][0])
            assert slopes[:, 0] == pytest.approx(numeric, abs=1e-5)
            assert np.isfinite(value[0])


def test_values_agree_with_the_plain_formula(case):
    loss, relation, extras = case
    for y in VALUES[relation.kind]:
        for x in PLACES:
            value = loss.evaluate(np.array([y]), np.array([x]), extras)[0][0]
            assert value == pytest.approx(entry_loss(loss.name, y, x, list(extras)), abs=1e-12)


def test_extreme_values_do_not_overflow_and_slopes_are_monotone(case):
    loss, relation, extras = case
    with np.errstate(all="raise", under="ignore"):
        for y in VALUES[relation.kind]:
            value, slope, slopes = loss.evaluate(np.full(4, y), np.array(EXTREMES), extras)
            assert np.isfinite(value).all()
            assert np.isfinite(slope).all()
            assert np.isfinite(slopes).all()
            assert (np.diff(slope) >= 0).all(), "a convex loss has a slope that rises"


def test_the_mapping_stays_in_the_relations_domain(case):
    loss, relation, extras = case
    predicted = loss.predict(np.array([*EXTREMES, *PLACES]), relation, extras)
    assert np.isfinite(predicted).all()
    if relation.kind == "binary":
        assert set(predicted) <= {-1.0, 1.0}
    if relation.kind == "ordinal":
        assert set(predicted) <= {0.0, 1.0, 2.0}


def test_probability_is_a_half_at_zero_and_rises():
    p = LOSSES["logistic"].probability(np.array([-800.0, -1.0, 0.0, 1.0, 800.0]))
    assert p[2] == 0.5
    assert (np.diff(p) > 0).all()
    assert p[0] == pytest.approx(0, abs=1e-300)
    assert p[1] + p[3] == pytest.approx(1)


def test_values_by_hand():
    assert LOSSES["smooth-hinge"].value_and_slope(np.array([-1.0]), np.array([0.25]))[0][0] == 0.75
    assert LOSSES["huber"].value_and_slope(np.array([0.0]), np.array([-3.0]))[0][0] == 2.5
    assert LOSSES["quadratic"].value_and_slope(np.array([3.0]), np.array([1.0]))[0][0] == 2.0


def test_poisson_is_linear_above_20():
    value, slope = LOSSES["poisson"].value_and_slope(np.zeros(3), np.array([20.0, 21.0, 30.0]))
    assert slope[0] == slope[1] == slope[2]
    assert value[1] - value[0] == pytest.approx(slope[0])
    assert value[2] - value[0] == pytest.approx(10 * slope[0])


@pytest.mark.parametrize("largest", [1e6, 1e9, 1e12, 1e150])
def test_poisson_has_its_minimum_at_any_count(largest):
    loss, log = LOSSES["poisson"], np.log(largest)
    with np.errstate(all="raise"):
        _, slope = loss.value_and_slope(np.full(3, largest), np.array([log - 0.1, log + 0.1, log + 100]))
    assert slope[0] < 0 < slope[1] <= slope[2]
    assert loss.predict(np.array([log]), relation_of("count"), np.zeros(1)) == pytest.approx(largest)


@pytest.mark.parametrize("name", [name for name in LOSSES if name != "ordinal"])
@pytest.mark.parametrize("size", [1, 63, 64, 1_000])
def test_the_total_is_the_sum_of_the_values_with_the_same_slopes(name, size):
    loss, rng = LOSSES[name], np.random.default_rng(size)
    y = rng.choice(VALUES[loss.kinds[0]], size)
    x = rng.choice([*PLACES, *(far for far in EXTREMES if name != "poisson" or far < 20)], size)
    with np.errstate(all="raise", under="ignore"):
        total, slope = loss.total_and_slope(y, x)
    assert total == pytest.approx(sum(entry_loss(name, *pair, [0.0]) for pair in zip(y, x, strict=True)), rel=1e-12)
    np.testing.assert_allclose(slope, loss.value_and_slope(y, x)[1], atol=1e-15)


@pytest.mark.parametrize("name", LOSSES)
def test_a_kind_that_a_loss_does_not_support_is_refused_with_a_reason(name):
    loss = LOSSES[name]
    for kind in set(KINDS) - set(loss.kinds):
        with pytest.raises(DataError, match=loss.refusal.split(":")[0]) as caught:
            loss.check(relation_of(kind))
        assert kind in str(caught.value)


def test_every_kind_has_a_default_loss():
    for kind in KINDS:
        LOSSES[default_loss(kind)].check(relation_of(kind))
    with pytest.raises(DataError, match="one of quadratic"):
        LOSSES["hinge"]


def test_a_loss_from_a_users_file_works_in_the_model(mixed):
    @register
    class LogCosh(Loss):
        """ℓ = log cosh(x − y)"""

        name, kinds = "log-cosh", ("real",)

        def value_and_slope(self, y, x):
            return np.logaddexp(x - y, y - x) - np.log(2), np.tanh(x - y)

    try:
        model = MrWTD(rank=2, lam=0.1, loss={"distance": "log-cosh"}).fit(mixed)
        assert model.losses_["distance"] == "log-cosh"
        assert model.losses_["friends"] == "logistic"
        assert np.isfinite(model.predict(mixed)).all()
    finally:
        LOSSES.unregister("log-cosh")

import math

import numpy as np
import pytest

import mrwtd
from mrwtd.analysis import reliability as module
from mrwtd.analysis.reliability import MAX_GAP, MIN_PAIRS, assess_reliability
from mrwtd.evaluation.curves import calibration_bins
from mrwtd.model.method import Method


class Sure(mrwtd.MrWTD):
    """A model that gives every pair the same probability."""

    chance = 0.75

    def predict_proba(self, entries: mrwtd.RelationalData) -> np.ndarray:
        return np.full(len(entries), self.chance)


Method.kinds = {name: kind for name, kind in Method.kinds.items() if kind is not Sure}


def model(chance: float = 0.75) -> Sure:
    sample = mrwtd.load_dataset("florentine")
    fitted = Sure(rank=1, lam=1.0).fit(sample)
    fitted.chance = chance
    return fitted


def held_out(ties: int, others: int) -> mrwtd.RelationalData:
    sample = mrwtd.load_dataset("florentine").select_relations(["marriage"])
    return sample.subset(np.concatenate([np.flatnonzero(sample.y > 0)[:ties], np.flatnonzero(sample.y < 0)[:others]]))


def test_calibrated_probabilities_are_trusted() -> None:
    assert assess_reliability(model(), held_out(15, 5)).reason("marriage", 0.75) == ""


def test_unreliable_numbers_are_shown_with_counts() -> None:
    assert assess_reliability(model(), held_out(5, 15)).reason("marriage", 0.75) == "25% of 20 such pairs were ties"


def test_the_largest_calibration_gap_is_that_of_the_help_text() -> None:
    assert f"within {100 * MAX_GAP:.0f} percentage points" in module.RELIABILITY_HELP
    assert str(MIN_PAIRS) in module.RELIABILITY_HELP
    assert (
        assess_reliability(model(0.75 - 0.9 * MAX_GAP), held_out(15, 5)).reason("marriage", 0.75 - 0.9 * MAX_GAP) == ""
    )
    assert assess_reliability(model(0.75 - 1.1 * MAX_GAP), held_out(15, 5)).reason("marriage", 0.75 - 1.1 * MAX_GAP)


def test_too_few_pairs_are_not_assessed() -> None:
    assert "only 4 such pairs" in assess_reliability(model(), held_out(3, 1)).reason("marriage", 0.75)
    assert assess_reliability(model(), held_out(3, 1)).reason("marriage", 0.2) == "no such pair was held out"


@pytest.mark.parametrize("chance", [0.0, 0.3, 0.999, 1.0])
def test_a_probability_falls_into_the_bin_that_it_was_counted_in(chance: float) -> None:
    assessed = assess_reliability(model(chance), held_out(3, 1))
    assert calibration_bins(model(chance), held_out(3, 1))["entries"].tolist() == [4]
    assert "only 4" in assessed.reason("marriage", chance)


def test_a_batch_gives_the_same_results_as_single_calls() -> None:
    assessed = assess_reliability(model(), held_out(15, 5))
    chances = [0.0, 0.05, 0.1, 0.71, 0.75, 0.799, 1.0, math.nan]
    assert assessed.reasons(["marriage"] * len(chances), chances) == [
        assessed.reason("marriage", chance) for chance in chances
    ]


def test_methods_without_probabilities_have_a_reason() -> None:
    train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    assessed = assess_reliability(mrwtd.make_method("RESCAL", rank=2, lam=1.0).fit(train), test)
    assert assessed.reason("marriage", math.nan) == "the method gives no probability"


def test_numbers_are_trusted_where_they_beat_the_average() -> None:
    train, test = mrwtd.load_dataset("airports").split(train=0.5, seed=0)
    fitted = mrwtd.MrWTD(rank=3, lam=1.0).fit(train)
    good = assess_reliability(fitted, test)
    assert good.reason("flights", math.nan) == ""
    assert all(gain <= 1 for gain in good.gains.values())
    flights = test.select_relations(["flights"])
    mixed = np.random.default_rng(0).permutation(flights.y)
    shuffled = mrwtd.RelationalData(flights.objects, flights.relations, flights.i, flights.j, flights.k, mixed)
    assert assess_reliability(fitted, shuffled).reason("flights", math.nan) == "no better than the average"
    assert (
        assess_reliability(fitted, flights.subset([])).reason("flights", math.nan) == "nothing held out to judge it by"
    )


def test_a_count_whose_shown_score_is_worse_than_the_mean_is_not_trusted(with_scores) -> None:
    # Two small counts that are predicted far too high: MSE ÷ variance is above 1, and the deviance is not so large.
    y = np.array([0.0, 1.0, 2.0, 3.0, 40.0, 60.0, 80.0, 100.0])
    predicted = y.copy()
    predicted[2:4] = 50.0, 100.0
    model, data = with_scores(y, predicted, kind="count")
    scores = mrwtd.evaluate(model, data).set_index("metric")["value"]
    assert scores["nmse"] > 1
    assert scores["deviance_explained"] > 0
    assert assess_reliability(model, data).reason("r", math.nan) == "no better than the average"


def test_a_constant_score_is_not_trusted() -> None:
    train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    fitted = mrwtd.MrWTD(rank=2, lam=1000.0).fit(train)
    chance = float(fitted.predict_proba(test)[0])
    assert assess_reliability(fitted, test).reason("marriage", chance) == "all pairs have one score"

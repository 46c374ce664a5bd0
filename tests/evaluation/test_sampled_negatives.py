"""Scores and probabilities from sampled negatives agree with those from all pairs."""

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd import RelationalData
from mrwtd.analysis.reliability import assess_reliability
from mrwtd.data.negatives import sampled_pairs
from mrwtd.evaluation.curves import calibration_bins, confusion, precision_recall_curve
from mrwtd.metrics import METRICS, Predictions
from mrwtd.metrics.jackknife import average_precision_influence, standard_error

SEEDS = range(20)
PER_TIE = 5
N = 100


def network(seed: int) -> RelationalData:
    """A sparse directed network of five groups with all pairs known; few pairs within a group are ties."""
    rng = np.random.default_rng(seed)
    group = rng.integers(5, size=N)
    chance = np.where(group[:, None] == group, 0.15, 0.005)
    i, j = np.nonzero(~np.eye(N, dtype=bool))
    y = np.where(rng.random(i.size) < chance[i, j], 1.0, -1.0)
    relation = mrwtd.data.relations.Relation("ties", "binary", True)
    return RelationalData([f"o{k}" for k in range(N)], [relation], i, j, np.zeros_like(i), y)


def with_sampled_negatives(full: RelationalData, seed: int) -> RelationalData:
    """The same ties, with sampled negatives, as if the other pairs were not listed."""
    frame = full.subset(full.y > 0).to_frame()
    return RelationalData.from_frame(frame, absent=PER_TIE, seed=seed)


def without_correction(data: RelationalData) -> RelationalData:
    return RelationalData(data.objects, data.relations, data.i, data.j, data.k, data.y)


def noisy_scores(data: RelationalData, seed: int) -> np.ndarray:
    """Log-odds of a tie for every pair, which depend on the pair only."""
    truth = network(seed)
    x = np.full((N, N), np.nan)
    noise = np.random.default_rng([seed, 1]).logistic(size=len(truth))
    x[truth.i, truth.j] = 1.5 * truth.y + noise - 3
    return x[data.i, data.j]


def agrees(estimates, exact) -> bool:
    """Whether the mean difference over the seeds is within two standard errors of 0."""
    difference = np.array(estimates) - np.array(exact)
    return abs(difference.mean()) <= 2 * difference.std(ddof=1) / np.sqrt(difference.size)


def scores_of(data: RelationalData, seed: int) -> dict[str, float]:
    """All binary metrics of the same scores, and the fraction of pairs among predicted ties that are ties."""
    x = noisy_scores(data, seed)
    predictions = Predictions("binary", data.y, x, np.sign(x), 1 / (1 + np.exp(-x)), data.represents)
    names = ("auprc", "roc_auc", "brier")
    return {name: METRICS[name].score(predictions) for name in names} | {
        "guessing": METRICS["auprc"].constant_score(data.y, data.represents),
        "precision": confusion(data.y, x, -2.0, data.represents).precision,
    }


def test_metrics_of_the_same_scores_agree_with_those_of_all_pairs():
    full = pd.DataFrame([scores_of(network(seed), seed) for seed in SEEDS])
    sampled = [with_sampled_negatives(network(seed), seed) for seed in SEEDS]
    corrected = pd.DataFrame([scores_of(data, seed) for seed, data in zip(SEEDS, sampled, strict=True)])
    mix = pd.DataFrame([scores_of(without_correction(data), seed) for seed, data in zip(SEEDS, sampled, strict=True)])
    for name in full:
        assert agrees(corrected[name], full[name]) or np.allclose(corrected[name], full[name]), name
        assert name == "roc_auc" or not agrees(mix[name], full[name]), name
    assert corrected["guessing"].to_numpy() == pytest.approx(full["guessing"].to_numpy())


def test_each_estimate_is_within_two_of_its_standard_errors():
    close = []
    for seed in SEEDS:
        full, sampled = network(seed), with_sampled_negatives(network(seed), seed)
        x = noisy_scores(sampled, seed)
        error = standard_error(average_precision_influence(sampled.y, x, sampled.represents))
        difference = scores_of(sampled, seed)["auprc"] - scores_of(full, seed)["auprc"]
        close.append(abs(difference) <= 2 * error)
    assert np.mean(close) >= 0.9


def end_to_end(seed: int) -> dict[str, tuple[float, float, float]]:
    """Of a model trained on sampled negatives: corrected, full and uncorrected values of its held-out scores."""
    full, sampled = network(seed), with_sampled_negatives(network(seed), seed)
    train, test = sampled.split(train=0.5, seed=seed)
    model = mrwtd.MrWTD(rank=5, lam=3.0).fit(train)
    mixed = mrwtd.MrWTD(rank=5, lam=3.0).fit(without_correction(train))
    # All pairs except those trained on: the held-out ties, and each negative that was not trained on.
    key = full.i.astype(int) * N + full.j
    held = full.subset(~np.isin(key, train.i.astype(int) * N + train.j))
    # Half of the ties are held out, and so is half of the negatives that a sample of them stands for.
    weight = np.where(held.y > 0, 1.0, 0.5 * np.count_nonzero(full.y < 0) / np.count_nonzero(held.y < 0))
    x, p = model.decision_function(held), model.predict_proba(held)
    all_pairs = Predictions("binary", held.y, x, x, p, weight)
    estimate = mrwtd.evaluate(model, test).set_index("metric")["value"]
    naive = mrwtd.evaluate(mixed, without_correction(test)).set_index("metric")["value"]
    values = {name: (estimate[name], METRICS[name].compute(all_pairs), naive[name]) for name in ("auprc", "brier")}
    ties = weight[held.y > 0].sum()
    values["expected ties"] = (float(p @ weight) / ties, 1.0, float(mixed.predict_proba(held) @ weight) / ties)
    bins = calibration_bins(model, test, bins=5)
    gap = (bins["observed"] - bins["predicted"]) @ bins["represented"] / bins["represented"].sum()
    values["calibration"] = (gap, float((weight * ((held.y > 0) - p)).sum() / weight.sum()), 0.1)
    return values


def test_a_fit_to_sampled_negatives_agrees_with_all_pairs():
    rows = [end_to_end(seed) for seed in SEEDS]
    for name in ("auprc", "brier", "calibration"):
        corrected, full, naive = zip(*(row[name] for row in rows), strict=True)
        assert agrees(corrected, full), (name, np.mean(corrected), np.mean(full))
        assert not agrees(naive, full), name
    expected, _, naive = zip(*(row["expected ties"] for row in rows), strict=True)
    # Probabilities sum to about the number of ties, as far as the fit itself allows.
    assert abs(np.mean(expected) - 1) < 0.15 * abs(np.mean(naive) - 1)


def test_probabilities_are_corrected_and_scores_are_not():
    sampled = with_sampled_negatives(network(0), 0)
    plain = without_correction(sampled)
    corrected, mixed = (mrwtd.MrWTD(rank=5, lam=3.0).fit(data) for data in (sampled, plain))
    assert (corrected.decision_function(sampled) == mixed.decision_function(sampled)).all()
    p, q = corrected.predict_proba(sampled), mixed.predict_proba(sampled)
    rate = np.count_nonzero(sampled.represents > 1) / (N * (N - 1) - np.count_nonzero(sampled.y > 0))
    assert p / (1 - p) == pytest.approx(rate * q / (1 - q))
    assert ((corrected.predict(sampled) > 0) == (p >= 0.5)).all()


def test_the_frame_says_how_many_pairs_are_sampled():
    train, test = with_sampled_negatives(network(0), 0).split(train=0.5, seed=0)
    scores = mrwtd.evaluate(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test)
    assert set(scores["sampled_pairs"]) == {sampled_pairs(test)} != {0}


def test_a_tie_that_only_the_sample_makes_likely_is_not_trusted():
    train, test = with_sampled_negatives(network(0), 0).split(train=0.5, seed=0)
    mixed = mrwtd.MrWTD(rank=5, lam=3.0).fit(without_correction(train))
    trusted_mix = assess_reliability(mixed, without_correction(test))
    corrected = assess_reliability(mrwtd.MrWTD(rank=5, lam=3.0).fit(train), test)
    high = [0.55, 0.65, 0.75, 0.85, 0.95]
    assert any(trusted_mix.reason("ties", p) == "" for p in high)
    assert all(corrected.reason("ties", p) for p in high)
    assert corrected.reason("ties", 0.01) == ""  # most pairs, of which few are ties


def test_curves_count_sampled_negatives_as_the_pairs_they_represent():
    relation = mrwtd.data.relations.Relation("r", "binary", True)
    data = RelationalData(["a", "b", "c"], [relation], [0, 1, 2], [1, 2, 0], [0] * 3, [1, -1, -1], represents=[1, 3, 1])

    class Fixed(mrwtd.MrWTD):
        def decision_function(self, entries):
            return np.array([1.0, 2.0, 0.0])

    curve = precision_recall_curve(Fixed(), data)
    assert curve["threshold"].tolist() == [np.inf, 2.0, 1.0, 0.0]
    assert curve["precision"].tolist() == pytest.approx([1.0, 0.0, 1 / 4, 1 / 5])

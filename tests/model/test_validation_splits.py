"""Hold-outs of the search for λ, and their scores."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score

import mrwtd
from mrwtd import Relation, RelationalData
from mrwtd.model.validation_splits import PARTS, Scorer, standard_error, validation_splits

DATA = mrwtd.load_dataset("florentine")


def normal_data(n: int, rng: np.random.Generator) -> RelationalData:
    """Standard normal values of all ordered pairs of n objects."""
    i, j = np.nonzero(~np.eye(n, dtype=bool))
    relation = Relation("r", "real", True)
    return RelationalData(map(str, range(n)), [relation], i, j, np.zeros_like(i), rng.normal(size=i.size))


def test_the_noise_of_a_held_out_score_is_its_standard_error():
    rng = np.random.default_rng(0)
    scores, errors = [], []
    for seed in range(120):
        data = normal_data(12, rng)
        parts = validation_splits(data, seed)
        predictions = [part.held.y + rng.normal(size=len(part.held)) for part in parts]
        score, without_parts = Scorer(parts, seed)(predictions)
        assert len(without_parts) == PARTS
        scores.append(score)
        errors.append(standard_error(without_parts))
    assert np.mean(errors) == pytest.approx(np.std(scores), rel=0.2)  # the variation of the score between runs
    assert np.isnan(standard_error([np.nan] * PARTS))


def test_hold_outs_are_scored_together_relation_by_relation():
    data = mrwtd.load_dataset("bankwiring").select_relations(["friendship", "help"])
    parts = validation_splits(data, seed=0)
    rng = np.random.default_rng(0)
    predictions = [rng.normal(size=len(part.held)) for part in parts]
    score, _ = Scorer(parts, seed=0)(predictions)
    frame = pd.concat(
        pd.DataFrame({"relation": part.held.k, "y": part.held.y, "x": x})
        for part, x in zip(parts, predictions, strict=True)
    )
    each = [average_precision_score(rows["y"] > 0, rows["x"]) for _, rows in frame.groupby("relation")]
    assert score == pytest.approx(np.mean(each))


def test_hold_outs_of_small_data_hold_out_every_entry_once():
    parts = validation_splits(DATA, seed=0)
    held = [cell for part in parts for cell in zip(part.held.k, part.held.i, part.held.j, strict=True)]
    assert len(held) == len(set(held)) == len(DATA)
    assert all(len(part.fitted) + len(part.held) == len(DATA) for part in parts)
    assert [part.held for part in validation_splits(DATA, seed=1)] != [part.held for part in parts]


def test_the_only_entry_of_a_relation_is_always_fitted():
    single = RelationalData("ab", [Relation("r", "binary", True)], [0], [1], [0], [1.0])
    assert [len(part.fitted) for part in validation_splits(single, seed=0)] == [1] * 4


def test_hold_outs_of_mutual_relations_are_complete_pairs():
    flights = mrwtd.load_dataset("airports").select_relations(["flights"])
    train, _ = flights.split(train=0.6, by="auto")
    for part in validation_splits(train, seed=0):
        fitted, held = part.fitted, part.held
        known = set(zip(fitted.i.tolist(), fitted.j.tolist(), strict=True))
        assert len(held)
        assert not known & set(zip(held.j.tolist(), held.i.tolist(), strict=True))


def test_a_relation_of_one_class_does_not_hide_the_others():
    ties = DATA.select_relations(["marriage"])
    lone = [Relation("none", "binary", False), *ties.relations]
    both = RelationalData(DATA.objects, lone, [0, *ties.i], [1, *ties.j], [0] + [1] * len(ties), [-1.0, *ties.y])
    parts = validation_splits(both, seed=0)
    scorer = Scorer(parts, seed=0)
    assert scorer([part.held.y for part in parts])[0] == 1.0
    assert scorer.constant() == pytest.approx((ties.y > 0).mean())

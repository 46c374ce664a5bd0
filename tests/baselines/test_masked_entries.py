"""An entry of weight 0 is unobserved: no method, score or explanation may depend on a masked value."""

import io

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd import DataError, RelationalData
from mrwtd.analysis.missing_as_zero import fill_missing
from mrwtd.analysis.new_objects import example_relationships
from mrwtd.analysis.rank_choice import suggest_rank
from mrwtd.baselines import METHODS
from mrwtd.data.description import summarize_values
from mrwtd.data.published_training import describe_published
from tests.baselines.quick_methods import data_of_every_kind, fit_or_refuse, make

WHOLE = data_of_every_kind(directed=True)
HIDDEN = np.random.default_rng(0).random(len(WHOLE)) < 0.5


def with_values(data: RelationalData, y: np.ndarray, w: np.ndarray) -> RelationalData:
    return RelationalData(data.objects, data.relations, data.i, data.j, data.k, y, w)


def masks(data: RelationalData, hidden: np.ndarray) -> list[RelationalData]:
    """Three data sets: weight 0 on the true values, on values of other pairs, and the entries removed."""
    garbage = data.y.copy()
    for k, relation in enumerate(data.relations):
        entries = data.slice(k)
        flipped = np.roll(data.y[entries][::-1], 1)
        huge = flipped * 1e6 if relation.kind in ("real", "count") else flipped
        garbage[entries] = np.where(hidden[entries], huge, data.y[entries])
    w = np.where(hidden, 0.0, np.where(np.arange(len(data)) % 3, 1.0, 0.5))
    observed = ~hidden
    nothing = RelationalData(
        data.objects,
        data.relations,
        data.i[observed],
        data.j[observed],
        data.k[observed],
        data.y[observed],
        w[observed],
    )
    return [with_values(data, data.y, w), with_values(data, garbage, w), nothing]


def bits(model: mrwtd.model.method.Method, data: RelationalData) -> tuple[bytes, ...]:
    return tuple(part.tobytes() for part in model.predict_all(data))


@pytest.mark.parametrize("lam", [0.5, "auto"])
@pytest.mark.parametrize("name", METHODS)
def test_values_of_weight_0_do_not_affect_a_fit(name, lam):
    if not fit_or_refuse(make(name), WHOLE):
        pytest.skip("does not take every kind")
    models = [make(name, lam=lam).fit(data) for data in masks(WHOLE, HIDDEN)]
    answers = [bits(model, WHOLE) for model in models]
    assert answers[0] == answers[2]
    assert answers[1] == answers[2]
    assert len({getattr(model, "lam_", None) for model in models}) == 1


@pytest.mark.parametrize("name", METHODS)
def test_values_of_weight_0_do_not_affect_binary_relations(name, data):
    hidden = np.random.default_rng(1).random(len(data)) < 0.4
    answers = [bits(make(name).fit(masked), data) for masked in masks(data, hidden)]
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("name", METHODS)
def test_weights_that_are_all_0_are_refused(name, data):
    with pytest.raises(DataError, match="weight 0"):
        make(name).fit(with_values(data, data.y, np.zeros(len(data))))


def test_scores_during_and_after_a_fit_omit_masked_entries(data):
    train, test = data.split(train=0.5, seed=0)
    hidden = np.random.default_rng(1).random(len(test)) < 0.4
    model = make("MrWTD")
    traces = [model.fit(train, held_out=masked).trace_["score"] for masked in masks(test, hidden)]
    pd.testing.assert_series_equal(traces[0], traces[2])
    pd.testing.assert_series_equal(traces[1], traces[2])
    scores = [mrwtd.evaluate(model, masked) for masked in masks(test, hidden)]
    pd.testing.assert_frame_equal(scores[0], scores[2])
    pd.testing.assert_frame_equal(scores[1], scores[2])


def test_new_objects_explanations_and_excluded_pairs_omit_masked_entries(data):
    model = make("MrWTD").fit(data)
    name = data.relations[0].name
    rows = pd.DataFrame({"source": "new", "relation": name, "target": data.objects[:4], "value": [1.0, -1, 1, -1]})
    masked = model.fold_in(rows.assign(weight=[1.0, 1, 0, 0]))
    assert np.array_equal(masked.A_, model.fold_in(rows[:2].assign(weight=1.0)).A_)

    hidden = np.random.default_rng(1).random(len(data)) < 0.4
    truth, garbage, nothing = masks(data, hidden)
    ends = data.objects[0], data.objects[1], name
    for entries in (truth, garbage):
        why, expected = model.explain(*ends, train=entries), model.explain(*ends, train=nothing)
        pd.testing.assert_frame_equal(why.source_entries, expected.source_entries)
        pairs, wanted = model.rank_pairs(name, exclude=entries), model.rank_pairs(name, exclude=nothing)
        pd.testing.assert_frame_equal(pairs, wanted)


def test_a_masked_model_can_be_saved(data):
    hidden = np.random.default_rng(1).random(len(data)) < 0.4
    model = make("MrWTD").fit(masks(data, hidden)[1])
    file = io.BytesIO()
    model.save(file)
    loaded = mrwtd.load_model(io.BytesIO(file.getvalue()))
    assert bits(loaded, data) == bits(model, data)


@pytest.mark.parametrize("name", METHODS)
def test_a_mask_of_zeros_and_ones_is_the_same_as_not_listing_the_entries(name, data):
    observed = np.random.default_rng(1).random(len(data)) < 0.6
    listed = data.subset(observed)
    masked = with_values(data, data.y, observed.astype(float))
    assert bits(make(name).fit(masked), data) == bits(make(name).fit(listed), data)


def test_descriptions_splits_and_comparisons_omit_masked_entries():
    true, garbage, nothing = masks(WHOLE, HIDDEN)
    for other in (garbage, nothing):
        pd.testing.assert_frame_equal(true.describe(), other.describe())
        assert summarize_values(true) == summarize_values(other)
        for options in ({}, {"stratify": True}, {"by": "pair", "stratify": True, "validation": 0.2}):
            assert true.split(train=0.4, seed=1, **options) == other.split(train=0.4, seed=1, **options)
    scores = [mrwtd.compare(data, ["Degree"], [0.4], rank=2, runs=2, n_jobs=1) for data in (true, garbage, nothing)]
    for other in scores[1:]:
        pd.testing.assert_frame_equal(scores[0].drop(columns="seconds"), other.drop(columns="seconds"))


def test_entries_of_some_of_the_objects_keep_their_weights():
    data = mrwtd.load_dataset("florentine")
    model = mrwtd.MrWTD(rank=2, lam=1.0).fit(data)
    subset = RelationalData(data.objects[:3], data.relations, [0, 0], [1, 2], [1, 1], [1.0, 1.0], [0.0, 1.0])
    pairs = model.rank_pairs("marriage", top=200, exclude=subset)
    listed = set(zip(pairs["source"], pairs["target"], strict=True))
    assert (data.objects[0], data.objects[1]) in listed
    assert (data.objects[0], data.objects[2]) not in listed


def test_missing_as_zero_groups_and_examples_omit_masked_entries(data):
    hidden = np.random.default_rng(1).random(len(data)) < 0.5
    true, garbage, _ = masks(data, hidden)
    empty = data.subset([])
    assert fill_missing(true, empty).zeros == fill_missing(garbage, empty).zeros > 0
    name = data.relations[0].name
    assert example_relationships(true, name) == example_relationships(garbage, name)


def test_published_splits_and_the_choice_of_a_rank_omit_masked_entries(data):
    hidden = np.random.default_rng(1).random(len(data)) < 0.5
    parts = np.random.default_rng(2).integers(0, 3, len(data))
    masked = RelationalData(
        data.objects, data.relations, data.i, data.j, data.k, data.y, np.where(hidden, 0.0, 1.0), part=parts
    )
    assert describe_published(masked) == describe_published(masked.observed())
    assert masked.published_split() == masked.observed().published_split()
    ranks = [suggest_rank(entries, lam=1.0) for entries in (masked, masked.observed())]
    pd.testing.assert_frame_equal(ranks[0].path, ranks[1].path)

import numpy as np
import pytest

import mrwtd
from mrwtd.data.relations import Relation
from mrwtd.evaluation import prediction_table, top_predictions


def test_levels_are_returned_as_original_values(with_scores):
    model, data = with_scores([0, 3, 1], [0.2, 1.9, 9.0], kind="ordinal")
    tens = mrwtd.RelationalData(
        data.objects, [Relation("r", "ordinal", True, (10, 20, 30, 40))], data.i, data.j, data.k, data.y
    )
    frame = prediction_table(model.fit(tens), tens)
    assert frame["value"].tolist() == [10, 40, 20]
    assert frame["prediction"].tolist() == [10, 30, 40]
    assert frame["score"].tolist() == [0.2, 1.9, 9.0]


def test_predictions_equal_those_of_the_model():
    train, test = mrwtd.load_dataset("synth-kinds", n_objects=20, seed=0).split(train=0.5, seed=0)
    model = mrwtd.MrWTD(rank=2, lam=1.0, ensemble=2).fit(train)
    frame = prediction_table(model, test)
    assert len(frame) == len(test)
    assert np.array_equal(frame["probability"], model.predict_proba(test), equal_nan=True)
    assert np.array_equal(frame["spread"], model.predict_std(test))
    real = frame["relation"].isin([r.name for r in test.relations if r.kind == "real"]).to_numpy()
    assert np.array_equal(frame["prediction"][real], model.predict(test)[real])


def test_the_best_pairs_exclude_known_ones():
    data = mrwtd.load_dataset("synth-kinds", n_objects=20, seed=0)
    known, _ = data.split(train=0.5, seed=0)
    frame = top_predictions(mrwtd.MrWTD(rank=2, lam=1.0).fit(known), known, top=4)
    assert frame.groupby("relation").size().to_dict() == {relation.name: 4 for relation in data.relations}
    listed = known.to_frame().astype("str")
    pairs = {frozenset(row) | {name} for *row, name in listed[["source", "target", "relation"]].to_numpy()}
    assert not pairs & {frozenset((r.source, r.target, r.relation)) for r in frame.itertuples()}


def test_only_factors_can_rank_all_pairs(with_scores):
    model, data = with_scores([1, -1], [1, 0])
    with pytest.raises(mrwtd.DataError, match="FixedScores"):
        top_predictions(model, data)

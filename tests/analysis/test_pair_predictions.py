import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.analysis.new_objects import KnownRelationship, example_relationships, fold_in_object
from mrwtd.analysis.pair_predictions import (
    best_unknown_pairs,
    count_unknown_pairs,
    explain_prediction,
    known_relationships,
    predict_pair,
)
from mrwtd.analysis.reliability import assess_reliability


@pytest.fixture(scope="module", params=["florentine", "monastery"])
def fitted(request: pytest.FixtureRequest):
    data = mrwtd.load_dataset(request.param)
    train, test = data.split(train=0.6, seed=0)
    model = mrwtd.MrWTD(rank=3, lam=1.0, ensemble=2).fit(train)
    return data, train, test, model, assess_reliability(model, test)


def test_two_objects_have_a_prediction_in_every_relation(fitted) -> None:
    data, train, test, model, trusted = fitted
    table = predict_pair(model, train, test, trusted, 3, 1)
    assert table["relation"].tolist() == [relation.name for relation in data.relations]
    assert np.isfinite(table["spread"]).all()
    entries = data.to_frame().astype({"source": str, "target": str, "relation": str})
    for row in table.itertuples():
        same = (
            (entries["source"] == row.source)
            & (entries["target"] == row.target)
            & (entries["relation"] == row.relation)
        )
        assert entries.loc[same, "value"].tolist() == [row.known]
        assert row.part in ("training", "held out")


def test_direction_matters_only_in_directed_relations() -> None:
    data = mrwtd.load_dataset("monastery")
    train, test = data.split(train=0.6, seed=0)
    model = mrwtd.MrWTD(rank=3, lam=1.0).fit(train)
    forward, backward = (
        predict_pair(model, train, test, assess_reliability(model, test), *pair) for pair in ((2, 5), (5, 2))
    )
    assert (forward["source"] == backward["target"]).all()
    assert not np.allclose(forward["score"], backward["score"])
    undirected = mrwtd.load_dataset("florentine")
    entries = mrwtd.MrWTD(rank=2, lam=1.0).fit(undirected)
    reliability = assess_reliability(entries, undirected)
    pd.testing.assert_frame_equal(
        predict_pair(entries, undirected, undirected, reliability, 2, 5),
        predict_pair(entries, undirected, undirected, reliability, 5, 2),
    )


def test_an_object_paired_with_itself_is_refused(fitted) -> None:
    _, train, test, model, trusted = fitted
    with pytest.raises(mrwtd.DataError, match="two different objects"):
        predict_pair(model, train, test, trusted, 1, 1)


@pytest.mark.parametrize("method", ["MrWTD", "Degree"])
def test_the_best_unknown_pairs_are_the_best_of_all_others(method: str) -> None:
    data = mrwtd.load_dataset("florentine")
    train, test = data.split(train=0.5, seed=0)
    model = mrwtd.make_method(method, rank=2, lam=1.0).fit(train)
    table = best_unknown_pairs(model, train, test, assess_reliability(model, test), "marriage", top=7)
    entries = test.select_relations(["marriage"])  # all other pairs are held out
    assert table["score"].tolist() == pytest.approx(np.sort(model.decision_function(entries))[::-1][:7].tolist())
    assert (table["part"] == "held out").all()
    truth = entries.to_frame().astype({"source": str, "target": str}).set_index(["source", "target"])["value"]
    assert table["known"].tolist() == [truth[row.source, row.target] for row in table.itertuples()]


def test_test_entries_can_be_excluded_from_the_best_unknown_pairs() -> None:
    florentine = mrwtd.load_dataset("florentine")
    data = florentine.subset(np.flatnonzero((florentine.i + florentine.j) % 3 > 0))
    train, test = data.split(train=0.5, seed=0)
    model = mrwtd.MrWTD(rank=2, lam=1.0).fit(train)
    free = count_unknown_pairs(data, "marriage")
    assert free == 105 - len(data.select_relations(["marriage"]))
    table = best_unknown_pairs(
        model, train, test, assess_reliability(model, test), "marriage", top=1_000, exclude_test=True
    )
    assert len(table) == free
    assert (table["part"] == "").all()


def test_explanations_add_up_and_name_known_relationships(fitted) -> None:
    data, train, _, model, _ = fitted
    relation = data.relations[0].name
    why = explain_prediction(model, data.objects[1], data.objects[4], relation, train)
    assert why.bias + why.factors["contribution"].sum() == pytest.approx(why.x)
    relationships = known_relationships(why, top=3)
    assert set(relationships["of"]) == {data.objects[1], data.objects[4]}
    assert len(relationships) == 6
    other = mrwtd.make_method("RESCAL", rank=2, lam=1.0).fit(train)
    by_factors = explain_prediction(other, data.objects[1], data.objects[4], relation, train)
    assert by_factors.bias + by_factors.factors["contribution"].sum() == pytest.approx(by_factors.x)
    assert known_relationships(by_factors).empty
    assert (
        explain_prediction(mrwtd.make_method("Degree").fit(train), data.objects[1], data.objects[4], relation) is None
    )


def test_a_new_object_like_a_known_one_gets_its_position_and_ties() -> None:
    data = mrwtd.load_dataset("aucs")
    model = mrwtd.MrWTD(rank=5, lam=0.3).fit(data)
    twin = data.objects[10]
    entries = data.to_frame().astype({"source": str, "target": str, "relation": str})
    twin_entries = entries[(entries["source"] == twin) | (entries["target"] == twin)]
    known = [
        KnownRelationship(row.relation, row.target if row.source == twin else row.source, row.value)
        for row in twin_entries.itertuples()
        if row.source != row.target
    ]
    new_object = fold_in_object(model, "twin", known)
    far = np.linalg.norm(new_object.model.A_[:-1] - new_object.model.A_[-1], axis=1)
    assert far.argmin() == 10
    assert len(new_object.points) == data.n_objects + 1
    table = new_object.relationships("work", assess_reliability(model, data), top=1_000).set_index("source")["score"]
    others = [index for index in range(data.n_objects) if index != 10]
    of_twin = [
        new_object.model.A_[index] @ new_object.model.R_[data.relation_index("work")] @ new_object.model.A_[10]
        for index in others
    ]
    assert np.corrcoef(table[[data.objects[index] for index in others]], of_twin)[0, 1] > 0.95
    assert len(model.objects_) == data.n_objects  # the model itself stays as it is


def test_a_new_object_in_directed_relations_has_both_directions() -> None:
    data = mrwtd.load_dataset("monastery")
    model = mrwtd.MrWTD(rank=3, lam=1.0).fit(data)
    relation = next(entries for entries in data.relations if entries.directed)
    value = relation.levels[-1] if relation.levels else 1.0
    new_object = fold_in_object(model, "new", [KnownRelationship(relation.name, data.objects[0], value, outward=False)])
    table = new_object.relationships(relation.name, assess_reliability(model, data), top=1_000)
    assert (table["source"] == "new").sum() == (table["target"] == "new").sum() == data.n_objects


@pytest.mark.parametrize("name", ["florentine", "monastery", "airports", "synth-kinds"])
def test_the_example_of_every_relation_can_be_folded_in(name: str) -> None:
    data = mrwtd.load_dataset(name)
    model = mrwtd.MrWTD(rank=2, lam=1.0, max_iter=20).fit(data)
    for relation in data.relations:
        assert np.isfinite(fold_in_object(model, "new", example_relationships(data, relation.name)).points).all()


@pytest.mark.parametrize(
    ("name", "known", "fragment"),
    [
        ("Medici", [KnownRelationship("marriage", "Pazzi")], "a name that no object has yet"),
        (" ", [KnownRelationship("marriage", "Pazzi")], "a name that no object has yet"),
        ("new", [], "at least one"),
        ("new", [KnownRelationship("marriage", "Nobody")], "'Nobody'"),
        ("new", [KnownRelationship("hatred", "Pazzi")], "'hatred'"),
    ],
)
def test_an_invalid_new_object_raises_an_error(name: str, known: list[KnownRelationship], fragment: str) -> None:
    model = mrwtd.MrWTD(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
    with pytest.raises(mrwtd.DataError, match=fragment):
        fold_in_object(model, name, known)


@pytest.mark.parametrize("method", ["Degree", "RESCAL"])
def test_methods_without_fold_in_refuse_new_objects(method: str) -> None:
    model = mrwtd.make_method(method, rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
    with pytest.raises(mrwtd.DataError, match=method):
        fold_in_object(model, "new", [KnownRelationship("marriage", "Pazzi")])

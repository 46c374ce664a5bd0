"""One entry multiplied out, and questions whose answers are in the data."""

from __future__ import annotations

import numpy as np
import pytest

import mrwtd
from mrwtd.dashboard.pages.learn.demos import product, tie_questions


@pytest.fixture(scope="module", params=["florentine", "monastery", "synth-kinds"])
def fitted(request: pytest.FixtureRequest) -> tuple[mrwtd.MrWTD, mrwtd.RelationalData, mrwtd.RelationalData]:
    train, test = mrwtd.load_dataset(request.param).split(train=0.6, seed=0)
    return mrwtd.MrWTD(rank=3, lam=1.0).fit(train), train, test


def test_the_parts_multiply_to_what_the_model_says(fitted) -> None:
    model, train, test = fitted
    for k, relation in enumerate(test.relations):
        at = test.slice(k).start
        names = test.objects[test.i[at]], test.objects[test.j[at]]
        own = product.multiply(model, relation.name, *names, train, test)
        entry = test.subset(np.arange(len(test)) == at)
        assert own.x == pytest.approx(model.decision_function(entry)[0])
        assert own.predicted == pytest.approx(model.predict(entry)[0])
        assert own.bias + sum(term for _, _, term in own.terms) == pytest.approx(own.x)
        assert own.trained is None
        assert own.held == test.original_values(k)[0]


def test_the_window_holds_who_was_asked_for(fitted) -> None:
    model, train, _ = fitted
    for k, relation in enumerate(train.relations):
        last = train.objects[-1]
        window = product.around(model, relation.name, train, (last, "nobody"))
        assert last in window.objects
        assert len(window.objects) == min(product.MOST_OBJECTS, train.n_objects)
        i, j = (window.objects.index(name) for name in (window.objects[0], last))
        own = product.multiply(model, relation.name, window.objects[i], window.objects[j], train)
        assert window.x[i, j] == pytest.approx(own.x)
        known = own.trained if relation.kind != "binary" or own.trained is None else float(own.trained > 0)
        assert (np.isnan(window.known[i, j]) and known is None) or window.known[i, j] == known
        assert k == train.relation_index(relation.name)


def test_a_method_without_factors_cannot_be_drawn() -> None:
    train, _ = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    floor, ours = mrwtd.make_method("Degree").fit(train), mrwtd.MrWTD(rank=2, lam=1.0).fit(train)
    assert product.drawable({"Degree": floor}, "Degree") is None
    assert product.drawable({"Degree": floor, "MrWTD": ours}, "Degree") == "MrWTD"


def value(data: mrwtd.RelationalData, relation: str, a: str, b: str) -> float | None:
    return product.value_at(data, data.relation_index(relation), data.objects.index(a), data.objects.index(b))


def test_the_answer_is_the_held_out_tie_and_was_not_seen(fitted) -> None:
    model, train, test = fitted
    for relation in tie_questions.relations_to_ask(test):
        asked = [tie_questions.ask(model, relation, train, test, number) for number in range(8)]
        assert len({one.answer for one in asked}) == 2
        for one in asked:
            assert value(test, relation, one.source, one.options[one.answer]) == 1
            assert value(test, relation, one.source, one.options[1 - one.answer]) == -1
            assert all(value(train, relation, one.source, option) is None for option in one.options)
            assert one.scores[one.model_guess] == max(one.scores)


def test_the_same_number_is_the_same_question() -> None:
    train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    model = mrwtd.MrWTD(rank=2, lam=1.0).fit(train)
    first, again, other = (tie_questions.ask(model, "marriage", train, test, number) for number in (3, 3, 4))
    assert (first.source, first.options) == (again.source, again.options)
    assert (first.source, first.options) != (other.source, other.options)


def test_clues_come_from_the_training_data_alone() -> None:
    data = mrwtd.load_dataset("florentine")
    train, test = data.split(train=0.5, seed=0)
    model = mrwtd.MrWTD(rank=2, lam=1.0).fit(train)
    clues = [tie_questions.ask(model, "marriage", train, test, number).clues for number in range(10)]
    for one in clues:
        for row in one.itertuples():
            known = train.select_relations(["marriage"]).to_frame().query("value > 0")
            assert row.ties == ((known["source"] == row.option) | (known["target"] == row.option)).sum()
            assert row.common <= row.ties

"""One entry multiplied out, and quiz questions about held-out ties."""

import numpy as np
import pytest

import mrwtd
from mrwtd.dashboard.pages.learn.demos import product, tie_questions
from mrwtd.evaluation.prediction_table import entries_to_predict


@pytest.fixture(scope="module", params=["florentine", "monastery", "synth-kinds"])
def fitted(request: pytest.FixtureRequest) -> tuple[mrwtd.MrWTD, mrwtd.RelationalData, mrwtd.RelationalData]:
    train, test = mrwtd.load_dataset(request.param).split(train=0.6, seed=0)
    return mrwtd.MrWTD(rank=3, lam=1.0).fit(train), train, test


def test_the_terms_add_up_to_the_score_of_the_model(fitted) -> None:
    model, train, test = fitted
    for k, relation in enumerate(test.relations):
        first = test.slice(k).start
        names = test.objects[test.i[first]], test.objects[test.j[first]]
        entry_product = product.multiply(model, relation.name, *names, train, test)
        entry = test.subset(np.arange(len(test)) == first)
        assert entry_product.x == pytest.approx(model.decision_function(entry)[0])
        assert entry_product.predicted == pytest.approx(model.predict(entry)[0])
        assert entry_product.bias + sum(term for _, _, term in entry_product.terms) == pytest.approx(entry_product.x)
        assert entry_product.trained is None
        assert entry_product.held_out == test.original_values(k)[0]


def test_the_window_includes_the_given_objects(fitted) -> None:
    model, train, _ = fitted
    for k, relation in enumerate(train.relations):
        last = train.objects[-1]
        window = product.window(model, relation.name, train, (last, "nobody"))
        assert last in window.objects
        assert len(window.objects) == min(product.MAX_OBJECTS, train.n_objects)
        i, j = (window.objects.index(name) for name in (window.objects[0], last))
        entry_product = product.multiply(model, relation.name, window.objects[i], window.objects[j], train)
        assert window.x[i, j] == pytest.approx(entry_product.x)
        known = (
            entry_product.trained
            if relation.kind != "binary" or entry_product.trained is None
            else float(entry_product.trained > 0)
        )
        assert (np.isnan(window.known[i, j]) and known is None) or window.known[i, j] == known
        assert k == train.relation_index(relation.name)


def value(data: mrwtd.RelationalData, relation: str, a: str, b: str) -> float | None:
    pair = [data.objects.index(a)], [data.objects.index(b)]
    return product.known_value(data, entries_to_predict(data, *pair, [data.relation_index(relation)]))


def test_the_answer_is_a_held_out_tie(fitted) -> None:
    model, train, test = fitted
    for relation in tie_questions.question_relations(test):
        questions = [tie_questions.tie_question(model, relation, train, test, number) for number in range(8)]
        assert len({question.answer for question in questions}) == 2
        for question in questions:
            assert value(test, relation, question.source, question.options[question.answer]) == 1
            assert value(test, relation, question.source, question.options[1 - question.answer]) == -1
            assert all(value(train, relation, question.source, option) is None for option in question.options)
            assert question.scores[question.model_guess] == max(question.scores)


def test_the_same_number_gives_the_same_question() -> None:
    train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    model = mrwtd.MrWTD(rank=2, lam=1.0).fit(train)
    first, again, other = (tie_questions.tie_question(model, "marriage", train, test, number) for number in (3, 3, 4))
    assert (first.source, first.options) == (again.source, again.options)
    assert (first.source, first.options) != (other.source, other.options)


def test_clues_come_only_from_the_training_data() -> None:
    data = mrwtd.load_dataset("florentine")
    train, test = data.split(train=0.5, seed=0)
    model = mrwtd.MrWTD(rank=2, lam=1.0).fit(train)
    clues = [tie_questions.tie_question(model, "marriage", train, test, number).clues for number in range(10)]
    for table in clues:
        for row in table.itertuples():
            known = train.select_relations(["marriage"]).to_frame().query("value > 0")
            assert row.ties == ((known["source"] == row.option) | (known["target"] == row.option)).sum()
            assert row.common <= row.ties

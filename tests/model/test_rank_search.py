"""The search for the rank on held-out training entries."""

import io

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.model import lambda_search, rank_search
from mrwtd.model.cancellation import Cancelled
from mrwtd.model.rank_search import possible_ranks, search_ranks
from mrwtd.runs import evaluations

N_OBJECTS = 60
TRAIN, TEST = mrwtd.load_dataset("florentine").split(train=0.7, seed=0)


def run(
    scores: dict[int, float], noise: float = 0.0, lam: float | str = "auto", cancel_at: int = 0
) -> tuple[mrwtd.MrWTD, rank_search.RankSearchResult, list[tuple[int, float]]]:
    """A search over fake fits with a score for each rank, best at λ = 1; and each rank and λ that was tried."""
    model, tried = mrwtd.MrWTD(rank="auto", lam=lam), list[tuple[int, float]]()
    model.objects_, model.rank_ = tuple(map(str, range(N_OBJECTS))), 12

    def make_trials() -> list[lambda_search.Trial]:
        rank = model.rank_

        def trial(lam, start, stage):
            if rank == cancel_at:
                raise Cancelled
            tried.append((rank, lam))
            score = scores.get(rank, 0.0) - 0.1 * abs(np.log10(lam))
            return lambda_search.TrialResult(rank, np.array([score, rank]), collapsed=False, stopped=False)

        return [trial]

    def scorer(predictions: list[np.ndarray]) -> tuple[float, np.ndarray]:
        score, rank = predictions[0]
        return float(score), score + noise * rank * (-1.0) ** np.arange(10)

    grid = () if lam == "auto" else ((float(lam),),)
    first = lambda_search.search(make_trials(), scorer, *grid)
    tried.clear()
    return model, search_ranks(model, first, make_trials, scorer), tried


def test_larger_ranks_are_tried_until_two_in_a_row_are_not_better():
    model, result, tried = run({12: 0.5, 20: 0.6, 30: 0.55, 45: 0.58, 2: 0.9})
    assert (result.rank, model.rank_) == (20, 20)
    assert result.path["rank"].tolist() == [12, 20, 30, 45]
    assert {rank for rank, _ in tried} == {20, 30, 45}
    assert result.search.best.state == 20


def test_smaller_ranks_are_tried_if_no_larger_one_is_better():
    _, result, tried = run({12: 0.5, 20: 0.4, 30: 0.4, 8: 0.6, 5: 0.7, 3: 0.2, 2: 0.1})
    assert result.rank == 5
    assert list(dict.fromkeys(rank for rank, _ in tried)) == [20, 30, 8, 5, 3, 2]


def test_the_default_stays_within_the_noise():
    scores = {12: 0.5, 20: 0.51, 30: 0.51, 8: 0.51, 5: 0.51}
    assert run(scores)[1].rank == 20
    assert run(scores, noise=0.1)[1].rank == 12


def test_each_rank_is_fitted_at_neighbouring_values_of_lambda():
    tried = run({12: 0.5, 20: 0.6, 30: 0.55, 45: 0.58})[2]
    assert [lam for rank, lam in tried if rank == 20] == [3.162, 1.0, 0.3162]
    assert {lam for _, lam in run({12: 0.5, 20: 0.4, 30: 0.4, 8: 0.4, 5: 0.4}, lam=2.5)[2]} == {2.5}


def test_a_cancelled_search_has_the_best_rank_so_far():
    _, result, _ = run({12: 0.5, 20: 0.6}, cancel_at=30)
    assert (result.rank, result.search.stopped) == (20, True)


def test_ranks_are_at_most_the_number_of_objects_and_150():
    assert possible_ranks(4) == (2, 3)
    assert possible_ranks(10_000)[-1] == 150


@pytest.mark.parametrize("name", ["MrWTD-L", "CP", "RESCAL", "MMMF", "MMMF+"])
def test_a_model_with_a_searched_rank(name):
    model = mrwtd.make_method(name, rank="auto").fit(TRAIN)
    assert model.get_params()["rank"] == "auto"
    assert model.rank_ in model.rank_path_["rank"].to_numpy()
    assert evaluations(model) > model.rank_path_["evaluations"].sum() > 0
    file = io.BytesIO()
    model.save(file)
    loaded = mrwtd.load_model(io.BytesIO(file.getvalue()))
    assert loaded.rank_ == model.rank_
    assert np.array_equal(loaded.decision_function(TEST), model.decision_function(TEST))
    # A fit with the rank that was found has no search over ranks left.
    assert mrwtd.make_method(name, rank=model.rank_, lam=1.0).fit(TRAIN).rank_path_ is None


def test_the_fit_is_that_at_the_chosen_rank():
    searched = mrwtd.MrWTD(rank="auto", lam=1.0).fit(TRAIN)
    given = mrwtd.MrWTD(rank=searched.rank_, lam=1.0).fit(TRAIN)
    assert np.allclose(searched.decision_function(TEST), given.decision_function(TEST))


def test_a_second_fit_does_not_start_at_the_rank_of_the_first():
    small, large = mrwtd.load_dataset("florentine"), mrwtd.load_dataset("nations")
    model = mrwtd.MrWTD(rank="auto", lam=1.0).fit(large)
    first = mrwtd.MrWTD(rank="auto", lam=1.0).fit(small)
    assert model.fit(small).rank_path_.equals(first.rank_path_)


@pytest.mark.parametrize("name", ["MrWTD-B", "BPTF", "BTF", "Degree"])
def test_methods_without_a_search_refuse_an_automatic_rank(name):
    with pytest.raises(DataError, match="this method has no search"):
        mrwtd.make_method(name, rank="auto").fit(TRAIN)


def test_a_stopped_search_keeps_its_best_fit():
    stops = lambda step: step.stage.kind == "search" and step.stage.option == "rank 5"  # noqa: E731
    model = mrwtd.MrWTD(rank="auto").fit(TRAIN, callback=stops)
    assert any("stopped" in message for message in model.messages_)
    assert model.A_.shape[1] == model.rank_ == 3

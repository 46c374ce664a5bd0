import numpy as np
import pandas as pd
import pytest

from mrwtd.analysis.neighbourhoods import neighbourhood, select_visible


def edges(*pairs: tuple[int, int], outcome: str = "known") -> pd.DataFrame:
    i, j = zip(*pairs, strict=True)
    return pd.DataFrame({"i": i, "j": j, "score": np.arange(len(pairs), 0, -1.0), "outcome": outcome})


def pairs(frame: pd.DataFrame) -> list[tuple[int, int]]:
    return list(zip(frame["i"], frame["j"], strict=True))


STAR = edges((0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (5, 6))


def test_one_step_has_the_ties_among_the_neighbours_too() -> None:
    assert pairs(neighbourhood(STAR, [0])) == [(0, 1), (0, 2), (1, 2)]


def test_two_steps_reach_the_neighbours_of_neighbours() -> None:
    assert pairs(neighbourhood(STAR, [0], depth=2)) == [(0, 1), (0, 2), (1, 2), (2, 3)]


def test_edges_lead_both_ways() -> None:
    assert pairs(neighbourhood(STAR, [4])) == [(3, 4)]


def test_a_group_has_the_neighbourhood_of_all_its_members() -> None:
    assert pairs(neighbourhood(STAR, [0, 5])) == [(0, 1), (0, 2), (1, 2), (5, 6)]


def test_an_object_without_edges_has_no_neighbours() -> None:
    assert neighbourhood(STAR, [9]).empty


def test_a_small_network_is_shown_completely() -> None:
    visible = select_visible(STAR, 100, 100)
    assert visible.left_out == 0
    assert visible.nodes.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert visible.edges.equals(STAR)


def test_predictions_come_first_and_the_best_of_them() -> None:
    many = pd.concat(
        [STAR, edges((7, 8), (7, 9), outcome="hit"), edges((7, 1), outcome="unchecked").assign(score=1.5)],
        ignore_index=True,
    )
    visible = select_visible(many, 4, 100)
    assert len(visible.edges) == 4
    assert visible.left_out == 5
    assert pairs(visible.edges[visible.edges["outcome"] != "known"]) == [(7, 8), (7, 1)]  # half of the maximum
    assert len(select_visible(many[many["outcome"] != "known"], 3, 100).edges) == 3


@pytest.mark.parametrize("most", [1, 2, 5, 20])
def test_no_more_than_the_maximum_is_drawn(most: int) -> None:
    rng = np.random.default_rng(0)
    many = edges(*map(tuple, rng.integers(0, 50, (300, 2)).tolist()))
    many["outcome"] = rng.choice(["hit", "known", "missed", "unchecked"], 300)
    visible = select_visible(many, 10 * most, most + 1)
    assert len(visible.edges) <= 10 * most
    assert len(visible.nodes) <= most + 1
    assert len(visible.edges) + visible.left_out == 300


def test_small_networks_show_all_objects_and_centres_are_always_shown() -> None:
    assert select_visible(STAR, 100, 100, n_objects=9).nodes.tolist() == list(range(9))
    assert 12 in select_visible(STAR, 100, 100, always=[12]).nodes

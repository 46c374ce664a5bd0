"""Maps of R_k and bars of factors."""

import numpy as np
import pytest

from mrwtd.plots.matrices import (
    MAX_FACTORS,
    MAX_MAPS,
    cell_table,
    factor_bars,
    factor_table,
    relation_map,
    relation_maps,
)


def test_rows_are_factors_of_the_source_and_zero_has_the_middle_colour() -> None:
    effects = np.array([[0.0, 2.0], [-1.0, 0.0]])
    heat = relation_map(effects, effects).data[0]
    assert heat.z[0][1] == 2.0
    assert heat.y[0] == "1"
    assert heat.zmin == -heat.zmax == -2.0


def test_numbers_are_in_their_cells() -> None:
    notes = relation_map(np.eye(3), np.eye(3), numbered=[(2, 0), (1, 1)]).layout.annotations
    assert [(note.y, note.x, note.text) for note in notes] == [(2, 0, "<b>1</b>"), (1, 1, "<b>2</b>")]


def test_only_the_first_factors_are_shown() -> None:
    large = np.ones((40, 40))
    figure = relation_map(large, large, numbered=[(30, 30)])
    assert np.shape(figure.data[0].z) == (MAX_FACTORS, MAX_FACTORS)
    assert not figure.layout.annotations
    assert len(factor_bars(np.ones(40), large).data[1].y) == MAX_FACTORS


@pytest.mark.parametrize("count", [1, 2, 5, MAX_MAPS + 3])
def test_heat_maps_of_many_relations_share_a_scale(count: int) -> None:
    maps = {f"<r{index}>": np.full((2, 2), float(index)) for index in range(count)}
    figure = relation_maps(maps, maps)
    assert len(figure.data) == min(count, MAX_MAPS)
    assert len({(trace.zmin, trace.zmax) for trace in figure.data}) == 1
    assert sum(trace.showscale for trace in figure.data) == 1
    assert figure.layout.annotations[0].text == "&lt;r0&gt;"


def test_zero_effects_can_be_drawn() -> None:
    heat = relation_map(np.zeros((2, 2)), np.zeros((2, 2)), dark=True).data[0]
    assert heat.zmin < heat.zmax


def test_bars_show_the_object_in_front_of_the_quartiles() -> None:
    points = np.arange(10.0).reshape(5, 2)
    behind, front = factor_bars(points[4], points).data
    assert list(front.y) == [8.0, 9.0]
    assert np.allclose(behind.base, np.sort(points, axis=0)[1])
    assert np.allclose(np.asarray(behind.base) + behind.y, np.sort(points, axis=0)[3])


def test_effects_are_drawn_and_r_is_shown_on_hover() -> None:
    figure = relation_maps({"likes": np.full((2, 2), 0.5)}, {"likes": np.full((2, 2), 3.0)})
    assert np.all(np.asarray(figure.data[0].z) == 0.5)
    assert np.all(np.asarray(figure.data[0].customdata) == 3.0)


def test_a_small_heat_map_numbers_every_fifth_factor() -> None:
    figure = relation_map(np.eye(12), np.eye(12), small=True)
    assert figure.layout.xaxis.tickvals == figure.layout.yaxis.tickvals == ("1", "5", "10")
    assert relation_map(np.eye(1), np.eye(1), small=True).layout.xaxis.tickvals == ("1",)


def test_the_table_has_one_row_per_cell() -> None:
    R = np.array([[1.0, 2.0], [3.0, 4.0]])
    table = cell_table(10 * R, R).set_index(["source_factor", "target_factor"])
    assert table.loc[(2, 1)].to_dict() == {"value": 3.0, "effect": 30.0}
    assert len(table) == 4


def test_the_table_has_all_factors_and_the_quartiles() -> None:
    points = np.tile(np.arange(5.0), (30, 1)).T
    table = factor_table(points[4], points)
    assert table["factor"].tolist() == list(range(1, 31))
    assert (table[["value", "low", "high"]] == [4.0, 1.0, 3.0]).all(axis=None)

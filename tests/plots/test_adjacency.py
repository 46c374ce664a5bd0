import numpy as np
import plotly.graph_objects as go
import pytest

import mrwtd
from mrwtd.plots import adjacency as module
from mrwtd.plots.adjacency import MAX_CELLS, adjacency, grid


def ring(n: int, kind: str = "binary", *, directed: bool = True, value: float = 1.0) -> mrwtd.RelationalData:
    """Each object and the next."""
    indices = np.arange(n)
    relation = mrwtd.Relation("next", kind, directed)
    return mrwtd.RelationalData(
        [f"o{x}" for x in indices], [relation], indices, (indices + 1) % n, np.zeros(n, dtype=int), np.full(n, value)
    )


def test_rows_are_sources_and_columns_targets() -> None:
    z = grid(ring(4), "next").z
    assert np.argwhere(z == 1).tolist() == [[0, 1], [1, 2], [2, 3], [3, 0]]
    assert np.isnan(z).sum() == 12


def test_an_undirected_relation_is_mirrored() -> None:
    z = grid(ring(4, directed=False), "next").z
    assert np.array_equal(z, z.T, equal_nan=True)
    assert (z == 1).sum() == 8


def test_the_order_permutes_rows_columns_and_names() -> None:
    data, order = ring(5), [3, 1, 4, 0, 2]
    plain, ordered = grid(data, "next"), grid(data, "next", order)
    assert np.array_equal(ordered.z, plain.z[np.ix_(order, order)], equal_nan=True)
    assert ordered.rows.names == ordered.columns.names == ("o3", "o1", "o4", "o0", "o2")


def test_known_non_ties_differ_from_unknown_pairs() -> None:
    data = mrwtd.RelationalData("abc", [mrwtd.Relation("r", "binary", True)], [0, 0], [1, 2], [0, 0], [1, -1])
    assert grid(data, "r").z[0].tolist()[1:] == [1.0, 0.0]


def test_blocks_show_the_mean_of_known_values() -> None:
    data = ring(10, "real", value=3.0)
    cells = grid(data, "next", cells=5)
    assert cells.rows.block == 2
    assert cells.z.shape == (5, 5)
    assert set(cells.z[~np.isnan(cells.z)]) == {3.0}
    assert cells.rows.names[0] == "1–2 (o0 … o1)"


def test_blocks_of_ties_only_show_their_fraction_of_all_pairs() -> None:
    cells = grid(ring(10), "next", cells=5)
    assert cells.z[0, 0] == 0.25  # o0 → o1, of the four pairs
    assert cells.z[0, 1] == 0.25  # o1 → o2
    assert np.isnan(cells.z[0, 3])


def test_many_objects_give_a_heat_map_of_limited_size() -> None:
    figure = adjacency(ring(20_011), "next")
    rows, columns = np.asarray(figure.data[0].z).shape
    assert rows == columns <= MAX_CELLS


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["florentine", "monastery", "airports", "bankwiring"])
def test_every_relation_has_a_heat_map(name: str, dark: bool) -> None:
    data = mrwtd.load_dataset(name)
    for relation in data.relations:
        figure = adjacency(data, relation.name, dark=dark)
        assert isinstance(figure.data[0], go.Heatmap)
        assert len(figure.to_json()) > 100


def test_names_with_tags_are_escaped() -> None:
    data = mrwtd.RelationalData(["<b>x", "y&z"], [mrwtd.Relation("r", "binary", True)], [0], [1], [0], [1])
    assert grid(data, "r").rows.names == ("&lt;b&gt;x", "y&amp;z")


def test_colours_but_not_numbers_of_large_counts_are_logarithmic() -> None:
    data = mrwtd.RelationalData("abc", [mrwtd.Relation("calls", "count", True)], [0, 1], [1, 2], [0, 0], [10_000, 1])
    trace = adjacency(data, "calls").data[0]
    assert np.nanmax(trace.z) < 10
    assert np.nanmax(trace.customdata) == 10_000
    assert "10,000" in trace.colorbar.ticktext


def test_a_constant_relation_has_a_valid_scale() -> None:
    trace = adjacency(ring(3, "real", value=2.0), "next").data[0]
    assert trace.zmin < trace.zmax


def test_a_relation_without_entries_is_an_empty_heat_map() -> None:
    nothing = ring(4, "real").subset(np.zeros(4, dtype=bool))
    assert np.isnan(grid(nothing, "next").z).all()
    assert isinstance(adjacency(nothing, "next").data[0], go.Heatmap)


def test_an_unknown_relation_raises() -> None:
    with pytest.raises(mrwtd.DataError, match="'nope'"):
        module.adjacency(ring(3), "nope")


def test_names_are_truncated_before_they_are_escaped() -> None:
    data = mrwtd.RelationalData(
        ["<script>alert('x')</script>", "b"], [mrwtd.Relation("next", "binary", True)], [0], [1], [0], [1.0]
    )
    labels = adjacency(data, "next").layout.xaxis.ticktext
    assert labels[0].startswith("&lt;script&gt;")
    assert labels[0].endswith("…")
    assert labels[1] == "b"


def test_short_names_are_horizontal() -> None:
    assert adjacency(ring(5), "next").layout.xaxis.tickangle == 0
    assert adjacency(ring(30), "next").layout.xaxis.tickangle != 0


@pytest.mark.parametrize("value", [1e150, -1e150])
def test_huge_values_do_not_become_unknown(value: float) -> None:
    (drawn,) = adjacency(ring(4, "real", value=value), "next").data
    assert np.isfinite(np.asarray(drawn.z, dtype=float)).sum() == 4


def test_two_types_of_objects_are_rows_and_columns() -> None:
    attends = mrwtd.Relation("attends", "binary", True, types=("woman", "event"))
    data = mrwtd.RelationalData(
        ["ann", "e1", "bea", "e2", "e3"], [attends], [0, 2], [3, 1], [0, 0], [1, -1],
        object_types=["woman", "event", "woman", "event", "event"],
    )  # fmt: skip
    cells = grid(data, "attends", order=[4, 3, 2, 1, 0])
    assert (cells.rows.names, cells.columns.names) == (("bea", "ann"), ("e3", "e2", "e1"))
    np.testing.assert_equal(cells.z, [[np.nan, np.nan, 0.0], [np.nan, 1.0, np.nan]])
    assert grid(data, "attends", cells=2).z.shape == (2, 2)

"""Figures of the lessons: tables that multiply, matrices as heat maps, curves with a point."""

import numpy as np
import pandas as pd
import pytest

from mrwtd.plots.colours import BLUE, GREY
from mrwtd.plots.entry_product import MAX_NUMBERED, factor_map
from mrwtd.plots.marked_curves import Line, marked_curves
from mrwtd.plots.matrices import matrix_heatmaps, matrix_table

NAMES = ["ann", "<b>bob</b>", "cat", "dan"]


def factors(rank: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((4, 4)) < 0.3, np.nan, (rng.random((4, 4)) < 0.5).astype(float))
    return rng.normal(size=(4, rank)), rng.normal(size=(rank, rank)), X


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("binary", [True, False])
def test_every_entry_can_be_selected(dark: bool, binary: bool) -> None:
    A, R, X = factors()
    figure = factor_map(A, R, X, NAMES, (1, 3), binary=binary, dark=dark)
    cells = figure.data[-1]
    assert sorted(map(tuple, cells.customdata)) == [(i, j) for i in range(4) for j in range(4)]
    assert "<b>bob" not in "".join(cells.text)


def test_the_row_and_column_of_the_entry_are_framed() -> None:
    A, R, X = factors()
    figure = factor_map(A, R, X, NAMES, (1, 3), binary=True)
    cells = figure.data[-1]
    index = [tuple(pair) for pair in cells.customdata].index((1, 3))
    boxes = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert len(boxes) == 4
    assert sum(box.y0 < cells.y[index] < box.y1 for box in boxes) == 2  # the row of A, and the entry
    assert sum(box.x0 < cells.x[index] < box.x1 for box in boxes) == 2  # the column of Aᵀ, and the entry


def test_numbers_are_written_for_small_ranks() -> None:
    A, R, X = factors()
    few = factor_map(A, R, X, NAMES, (0, 1), binary=True)
    assert f"{R[0, 1]:.1f}" in [note.text for note in few.layout.annotations]
    A, R, X = factors(MAX_NUMBERED + 1)
    many = factor_map(A, R, X, NAMES, (0, 1), binary=True)
    assert len(many.layout.annotations) < len(few.layout.annotations)


def test_unknown_entries_and_zero_factors_can_be_drawn() -> None:
    figure = factor_map(np.zeros((4, 2)), np.zeros((2, 2)), np.full((4, 4), np.nan), NAMES, (0, 0), binary=False)
    assert np.isfinite(np.asarray(figure.data[1].z, dtype=float)).all()


def test_the_tables_are_placed_so_that_rows_and_columns_meet() -> None:
    A, R, X = factors()
    figure = factor_map(A, R, X, NAMES, (0, 0), binary=True)
    tables = np.asarray(figure.data[0].z, dtype=float)
    assert np.allclose(tables[:2, :2], R / np.abs(R).max())
    assert np.allclose(tables[3:, :2], A / np.abs(A).max())
    assert np.allclose(tables[:2, 3:], tables[3:, :2].T)
    assert np.isnan(tables[2]).all()
    # Only the entries of X react to the pointer.
    assert np.isnan(tables[3:, 3:]).all()
    assert figure.data[1].hoverinfo == "skip"
    assert np.array_equal(figure.data[1].x, np.arange(3, 7))


def test_heat_maps_leave_unknown_cells_empty() -> None:
    figure = matrix_heatmaps(
        {"truth": np.eye(3), "known": np.full((3, 3), np.nan), "predicted": 5 * np.eye(3)}, columns=3
    )
    assert [note.text for note in figure.layout.annotations] == ["truth", "known", "predicted"]
    assert np.isnan(figure.data[1].z).all()
    assert figure.data[2].z.max() == 1.0
    assert figure.layout.plot_bgcolor not in {colour for _, colour in figure.data[0].colorscale}


def test_the_table_of_heat_maps_has_one_row_per_cell() -> None:
    panels = {"truth": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), "known": np.full((2, 3), np.nan)}
    table = matrix_table(panels)
    assert table.columns.tolist() == ["row", "column", "truth", "known"]
    assert table.set_index(["row", "column"]).loc[(2, 3), "truth"] == 6.0
    assert table["known"].isna().all()
    named = matrix_table({"truth": np.array([[0.0, 1.0], [2.0, 3.0]])}, ["ann", "bob"])
    assert named.set_index(["row", "column"]).loc[("bob", "ann"), "truth"] == 2.0


def test_marks_are_at_the_nearest_position() -> None:
    frame = pd.DataFrame({"lam": [0.01, 1.0, 100.0], "score": [0.1, 0.5, 0.2], "sd": 0.05})
    line = Line("score", "score", BLUE, sd="sd")
    figure = marked_curves(
        frame, "lam", [line], 0.8, x_title="λ", y_title="score", log=True, guess=0.9, shaded=(10, 100)
    )
    assert (figure.data[-1].x[0], figure.data[-1].y[0]) == (1.0, 0.5)
    guess = next(trace for trace in figure.data if trace.name == "your guess")
    assert (guess.x[0], guess.y[0]) == (1.0, 0.9)
    assert figure.layout.xaxis.type == "log"


def test_curves_without_rows_can_be_drawn() -> None:
    frame = pd.DataFrame({"known": [], "error": []})
    line = Line("error", "error", GREY)
    assert len(marked_curves(frame, "known", [line], 0.5, x_title="known", y_title="error", percent=True).data) == 1

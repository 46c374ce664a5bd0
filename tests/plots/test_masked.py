"""Entries of weight 0 are unobserved in figures too."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mrwtd
from mrwtd import RelationalData
from mrwtd.analysis.objects import degree
from mrwtd.plots.adjacency import grid
from mrwtd.plots.dataset_summary import degrees
from mrwtd.plots.node_layout import tie_matrix
from mrwtd.plots.ordering import similarity_order

COMPUTE: dict[str, Callable[[RelationalData], Any]] = {
    "adjacency": lambda data: grid(data, "marriage").z,
    "layout": lambda data: tie_matrix(data, "marriage").toarray(),
    "degree": lambda data: degree(data, "marriage"),
    "degrees": lambda data: degrees(data, "marriage")["ties"].to_numpy(),
    "order": similarity_order,
}


@pytest.mark.parametrize("name", COMPUTE)
def test_masked_entries_are_as_if_they_were_not_listed(name: str) -> None:
    data = mrwtd.load_dataset("florentine")
    known = np.random.default_rng(0).random(len(data)) < 0.5
    masked = RelationalData(data.objects, data.relations, data.i, data.j, data.k, data.y, known)
    without = data.subset(known)
    np.testing.assert_array_equal(COMPUTE[name](masked), COMPUTE[name](without))
    if name != "order":
        assert not np.array_equal(COMPUTE[name](masked), COMPUTE[name](data), equal_nan=True)

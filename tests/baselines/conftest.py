"""Data that every method supports, and every method fitted to it."""

import pytest

import mrwtd
from mrwtd import RelationalData
from mrwtd.baselines import METHODS
from mrwtd.model.method import Method
from tests.baselines.quick_methods import make


@pytest.fixture(scope="module")
def data() -> RelationalData:
    """Two undirected binary relations, which every method supports."""
    return mrwtd.load_dataset("synth-binary", n_objects=20, n_relations=2, rank=2, positives=0.3)


@pytest.fixture(scope="module")
def parts(data) -> tuple[RelationalData, RelationalData]:
    return data.split(train=0.5, seed=0)


@pytest.fixture(scope="module")
def fitted(parts) -> dict[str, Method]:
    return {name: make(name).fit(parts[0]) for name in METHODS}

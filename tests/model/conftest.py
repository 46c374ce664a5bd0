"""Small data of every kind, directed and not, with self-pairs, weights and an empty relation."""

import numpy as np
import pytest

from mrwtd.data.relational import RelationalData
from mrwtd.data.relations import Relation

KINDS = {"binary": (), "ordinal": (0, 1, 2), "count": (), "real": ()}


def draw(kind: str, rng: np.random.Generator) -> float:
    return {
        "binary": lambda: rng.choice([-1.0, 1.0]),
        "ordinal": lambda: float(rng.integers(3)),
        "count": lambda: float(rng.poisson(2)),
        "real": lambda: rng.normal(),
    }[kind]()


def make_data(relations: list[Relation], n: int = 6, share: float = 0.6, seed: int = 0) -> RelationalData:
    """Random entries of the relations; one named "empty" has none."""
    rng = np.random.default_rng(seed)
    rows = [
        (i, j, k, draw(relation.kind, rng), rng.random())
        for k, relation in enumerate(relations)
        for i in range(n)
        for j in range(n)
        if relation.name != "empty" and (relation.directed or i <= j) and rng.random() < share
    ]
    i, j, k, y, w = (np.array(column) for column in zip(*rows, strict=True))
    return RelationalData([f"o{index}" for index in range(n)], relations, i, j, k, y, w)


@pytest.fixture
def mixed() -> RelationalData:
    """A relation of each kind, some directed, one empty."""
    return make_data(
        [
            Relation("friends", "binary", False),
            Relation("allies", "binary", False),
            Relation("advice", "binary", True),
            Relation("distance", "real", False),
            Relation("debt", "real", True),
            Relation("calls", "count", True),
            Relation("empty", "binary", False),
            Relation("liking", "ordinal", True, (0, 1, 2)),
        ]
    )

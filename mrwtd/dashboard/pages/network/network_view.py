"""What the Network page shows: a relation, one or two methods, and a part of the network."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

import mrwtd

from ....analysis.edges import ScoredPairs, tie_values
from ....analysis.neighbourhoods import neighbourhood
from ...state import run_cache, session
from ...state.current_run import Result


@dataclass(frozen=True)
class View:
    """The options of the page.

    Attributes:
        result: the run.
        relation: the relation that is shown.
        labels: one or two methods.
        overlaid: further relations, each in its own colour.
        centres, depth: the objects whose neighbourhood is shown, and its radius; no centres for the whole network.
        grouped: whether the centres are a group sent by another page.
        layout: how objects are placed.
        names: whether names are written; None if it depends on their number.
        tie_from: the value from which on a relationship counts as a tie.
        thresholds: the score from which on each method predicts a tie.
    """

    result: Result
    relation: str
    labels: tuple[str, ...]
    overlaid: tuple[str, ...]
    centres: tuple[int, ...]
    grouped: bool
    depth: int
    layout: str
    names: bool | None
    tie_from: float = 0.0
    thresholds: tuple[float, ...] = ()

    def relation_info(self, name: str = "") -> mrwtd.Relation:
        """A relation by name, or the one that is shown."""
        data = self.result.data
        return data.relations[data.relation_index(name or self.relation)]

    def pairs(self, label: str) -> ScoredPairs:
        """The pairs of the relation as a method scores them."""
        return run_cache.scored_pairs(self.result, label, self.relation, self.tie_from)

    def edges(self, label: str, threshold: float) -> dict[str, pd.DataFrame]:
        """The edges of the relation and of those overlaid, each of the latter at its default threshold."""
        edges = {self.relation: self.pairs(label).edges(threshold)}
        for name in self.overlaid:
            tie_from = next(iter(tie_values(self.result.data, name).values()))
            pairs = run_cache.scored_pairs(self.result, label, name, tie_from)
            edges[name] = pairs.edges(pairs.threshold_for(pairs.train_tie_fraction))
        if not self.centres:
            return edges
        return {name: neighbourhood(frame, self.centres, self.depth) for name, frame in edges.items()}

    def selected_edge(self) -> tuple[int, int] | None:
        """The two objects of the selected edge."""
        ends = str(session.settings().get("network.edge") or "").split(",")
        n_objects = self.result.data.n_objects
        if len(ends) != 2 or not all(end.isdecimal() and int(end) < n_objects for end in ends):
            return None
        return int(ends[0]), int(ends[1])

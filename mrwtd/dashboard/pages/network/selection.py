"""What the Network page looks at: a relation, one or two methods, and whose neighbourhood."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from ....analysis.edges import MAX_OBJECTS_FOR_ALL_PAIRS, OUTCOMES, TOP_UNKNOWN_PAIRS, ScoredPairs, tie_values
from ....analysis.neighbourhoods import neighbourhood
from ...state import run_cache, session
from ...state.current_run import Result


@dataclass(frozen=True)
class View:
    """What is looked at.

    Attributes:
        result: the run.
        relation, tie_from: the relation, and the value from which on it is a tie.
        labels: the methods, one or two.
        thresholds: the score from which on each method predicts a tie.
        overlaid: further relations, drawn in colours of their own.
        centres, depth: whose neighbourhood is shown, and how far it reaches; no centres for the whole network.
        grouped: whether the centres are a group that another page has sent.
        layout: how objects are placed.
        names: whether names are written; None where it depends on their number.
    """

    result: Result
    relation: str
    tie_from: float
    labels: tuple[str, ...]
    thresholds: tuple[float, ...]
    overlaid: tuple[str, ...]
    centres: tuple[int, ...]
    grouped: bool
    depth: int
    layout: str
    names: bool | None

    def pairs(self, label: str) -> ScoredPairs:
        """The scored pairs of the relation."""
        return run_cache.scored_pairs(self.result, label, self.relation, self.tie_from)

    def edges(self, label: str, threshold: float) -> pd.DataFrame:
        """The edges of the relation that are looked at."""
        return self._near(self.pairs(label).edges(threshold))

    def all_edges(self, label: str, threshold: float) -> dict[str, pd.DataFrame]:
        """The edges of all relations that are looked at together; those overlaid, each at its usual threshold."""
        found = {self.relation: self.edges(label, threshold)}
        for name in self.overlaid:
            tie_from = next(iter(tie_values(self.result.data, name).values()))
            own = run_cache.scored_pairs(self.result, label, name, tie_from)
            found[name] = self._near(own.edges(own.threshold_for(own.train_tie_fraction)))
        return found

    def _near(self, edges: pd.DataFrame) -> pd.DataFrame:
        return neighbourhood(edges, self.centres, self.depth) if self.centres else edges


def legend() -> str:
    """The outcomes in words, for a caption."""
    return "; ".join(f"**{name}**: {meaning}" for name, meaning in OUTCOMES.items()) + "."


def chosen_edge(n_objects: int) -> tuple[int, int] | None:
    """The two objects of the edge that was clicked."""
    ends = str(session.settings().get("network.edge") or "").split(",")
    if len(ends) != 2 or not all(end.isdecimal() and int(end) < n_objects for end in ends):
        return None
    return int(ends[0]), int(ends[1])


def limits(view: View) -> str:
    """What of a large network is not listed, in words."""
    n = view.result.data.n_objects
    if n <= MAX_OBJECTS_FOR_ALL_PAIRS:
        return ""
    ranked = all(view.pairs(label).ranked for label in view.labels)
    extra = "" if ranked else " A method without factors cannot rank the pairs that the data does not speak of."
    return f"Of {n:,} objects, the best {TOP_UNKNOWN_PAIRS:,} predictions that cannot be checked are listed.{extra}"

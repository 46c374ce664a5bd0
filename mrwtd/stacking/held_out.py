"""What the components of a stacked ensemble predict for the held-out entries of one kind, and the weights from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..model.validation_splits import Scorer, ValidationSplit
from ..typing import Array
from .components import Candidate, prior_weights
from .constant import Constant
from .weights import Blend, blend, mean_loss

LOWEST = -1e9
"""The lowest score of real values that differs from others: an outlier of 10¹⁵⁰ makes scores whose squares overflow."""


@dataclass(frozen=True)
class HeldOut:
    """The held-out entries of the relations of one kind.

    Attributes:
        kind: of the relations.
        predictions: of each component, (components, entries): x of binary relations; of others φ(x), standardized.
        y, w: the values, standardized unless they are binary, and the weights of the entries.
        blend: the weights and scores of the components.
    """

    kind: str
    predictions: Array
    y: Array
    w: Array
    blend: Blend

    @classmethod
    def of(
        cls, kind: str, candidates: Sequence[Candidate], splits: Sequence[ValidationSplit], units: Array, seed: int
    ) -> HeldOut:
        """Collect the predictions for one kind, and weigh the components.

        `units` has the centre and the scale of each relation.
        """
        relations = splits[0].held.relations
        names = [relation.name for relation in relations if relation.kind == kind]
        here = np.array([relation.kind == kind for relation in relations])
        masks = [here[split.held.k] for split in splits]
        predictions = np.array(
            [
                np.concatenate([x[mask] for x, mask in zip(candidate.predictions or (), masks, strict=True)])
                for candidate in candidates
            ]
        )
        parts = [ValidationSplit(split.fitted, split.held.select_relations(names)) for split in splits]
        y, w = (np.concatenate([getattr(part.held, field) for part in parts]) for field in "yw")
        centre, scale = units[np.concatenate([split.held.k[mask] for split, mask in zip(splits, masks, strict=True)])].T
        scorer, ends = Scorer(parts, seed), np.cumsum([len(part.held) for part in parts])

        def score(x: Array, parts: Sequence[int]) -> float:
            values = centre + scale * x
            if kind == "ordinal":
                values = np.rint(values)  # as the mean is predicted
            return float(np.maximum(scorer.of_parts(np.split(values, ends[:-1]), parts), LOWEST))

        predictions, y = (predictions - centre) / scale, (y - centre) / scale
        components = [candidate.name for candidate in candidates]
        prior, rng = prior_weights(components, kind), np.random.default_rng([seed, 7])
        constant = components.index(Constant.name) if Constant.name in components else None
        chosen = blend(predictions, y, w, score, rng, kind=kind, prior=prior, constant=constant)
        return cls(kind, predictions, y, w, chosen)

    def loss(self, weights: Array) -> float:
        """The mean loss of a weighted mean of the components: log loss or half the squared error."""
        lines = self.blend.lines
        mean = weights @ (lines[:, :1] + lines[:, 1:] * self.predictions)
        return mean_loss(mean, self.y, self.w, binary=self.kind == "binary")


def weight_table(names: Sequence[str], kinds: Sequence[str], held_out: Sequence[HeldOut]) -> pd.DataFrame:
    """One row for each kind and component; without held-out entries the weights are the prior ones.

    >>> weight_table(["MrWTD-L", "BPTF"], ["binary"], [])[["component", "weight"]]
      component  weight
    0   MrWTD-L     0.5
    1      BPTF     0.5
    """
    blends = {part.kind: part.blend for part in held_out}
    rows = []
    for kind in kinds:
        chosen = blends.get(kind) or Blend.unscored(prior_weights(names, kind))
        columns = (names, chosen.weights, chosen.scores, *chosen.lines.T)
        rows += [(kind, *row) for row in zip(*columns, strict=True)]
    return pd.DataFrame(rows, columns=["kind", "component", "weight", "score", "offset", "slope"])

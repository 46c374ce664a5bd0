"""Regularisation: what λ does to the fit, to the held-out score, and when everything collapses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .....data.relational import RelationalData
from .lambda_paths import Stop, lam_path

RANK, TRAIN, SPLITS = 8, 0.3, 3
LAMS = tuple(float(f"{10.0**power:.2g}") for power in np.linspace(-2, 2, 25))
"""Six to a decade, from 0.01 to 100."""


@dataclass(frozen=True)
class LamPath:
    """A data set fitted along λ.

    Attributes:
        frame: a row a λ: lam, loss (mean of a training entry), train and held_out (average precision, mean over
            relations and splits), held_out_sd, size (root mean square of the numbers of A), collapsed (in all splits).
        stops: the factors of the first split at each λ.
        chance: the held-out average precision of a model that knows nothing.
        splits: how many splits the means are over.
    """

    frame: pd.DataFrame
    stops: tuple[Stop, ...]
    chance: float
    splits: int = 1

    @property
    def best(self) -> float:
        """The λ of the best held-out score."""
        return float(self.frame["lam"].to_numpy()[int(self.frame["held_out"].argmax())])

    @property
    def edge(self) -> float | None:
        """The least λ from which on every fit has collapsed, if there is one."""
        gone = self.frame["collapsed"].to_numpy()
        return float(self.frame["lam"].to_numpy()[gone.argmax()]) if gone.any() else None


def along(data: RelationalData, lams: tuple[float, ...] = LAMS) -> Iterator[LamPath]:
    """The path of one split, then the means over two, and so on: there is something to see early.

    >>> import mrwtd
    >>> *_, path = along(mrwtd.load_dataset("florentine"), lams=(0.1, 1.0, 100.0))
    >>> path.frame["collapsed"].tolist(), path.edge, path.splits
    ([False, False, True], 100.0, 3)
    """
    frames: list[pd.DataFrame] = []
    stops: tuple[Stop, ...] = ()
    chances: list[float] = []
    for seed in range(SPLITS):
        train, test = data.split(train=TRAIN, seed=seed, by="auto")
        path = tuple(lam_path(train, RANK, lams, seed=seed))
        stops = stops or path
        chances.append(float(np.mean([np.mean(test.y[test.slice(k)] > 0) for k in range(test.n_relations)])))
        frames.append(
            pd.DataFrame(
                {
                    "lam": [stop.lam for stop in path],
                    "loss": [stop.loss for stop in path],
                    "train": [np.nanmean(stop.scores(train)) for stop in path],
                    "held_out": [np.nanmean(stop.scores(test)) for stop in path],
                    "size": [np.sqrt(np.mean(stop.A**2)) for stop in path],
                    "collapsed": [stop.collapsed for stop in path],
                }
            )
        )
        joined = pd.concat(frames).groupby("lam")
        frame = joined[["loss", "train", "held_out", "size"]].mean()
        frame["held_out_sd"] = joined["held_out"].std(ddof=0)
        frame["collapsed"] = joined["collapsed"].all()
        yield LamPath(frame.reset_index(), stops, float(np.mean(chances)), len(frames))

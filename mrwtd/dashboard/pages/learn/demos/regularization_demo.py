"""Regularization: the effect of λ on the fit and on the held-out score, and the collapse."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .....data.relational import RelationalData
from .lambda_fits import LambdaFit, fit_lambdas

RANK, TRAIN, SPLITS = 8, 0.3, 3
LAMS = tuple(float(f"{10.0**power:.2g}") for power in np.linspace(-2, 2, 25))
"""Six per decade, from 0.01 to 100."""


@dataclass(frozen=True)
class LambdaPath:
    """Fits of a data set at many λ.

    Attributes:
        frame: one row per λ: lam, loss (mean of a training entry), train and held_out (average precision, mean over
            relations and splits), held_out_sd, size (root mean square of A), collapsed (in all splits).
        fits: the fits of the first split.
        chance: the held-out average precision of a random ranking.
        splits: the number of splits.
    """

    frame: pd.DataFrame
    fits: tuple[LambdaFit, ...]
    chance: float
    splits: int = 1

    @property
    def best(self) -> float:
        """The λ with the best held-out score."""
        return float(self.frame["lam"].to_numpy()[int(self.frame["held_out"].argmax())])

    @property
    def collapse(self) -> float | None:
        """The smallest λ at which every fit has collapsed, if any."""
        collapsed = self.frame["collapsed"].to_numpy()
        return float(self.frame["lam"].to_numpy()[collapsed.argmax()]) if collapsed.any() else None


def lambda_paths(data: RelationalData, lams: tuple[float, ...] = LAMS) -> Iterator[LambdaPath]:
    """The path of one split, then the mean of two, and so on: the first one is ready early.

    >>> import mrwtd
    >>> *_, path = lambda_paths(mrwtd.load_dataset("florentine"), lams=(0.1, 1.0, 100.0))
    >>> path.frame["collapsed"].tolist(), path.collapse, path.splits
    ([False, False, True], 100.0, 3)
    """
    frames: list[pd.DataFrame] = []
    first: tuple[LambdaFit, ...] = ()
    chances: list[float] = []
    for seed in range(SPLITS):
        train, test = data.split(train=TRAIN, seed=seed, by="auto")
        fits = tuple(fit_lambdas(train, RANK, lams, seed=seed))
        first = first or fits
        chances.append(float(np.mean([np.mean(test.y[test.slice(k)] > 0) for k in range(test.n_relations)])))
        rows = [
            (
                fit.lam, fit.loss, np.nanmean(fit.scores(train)), np.nanmean(fit.scores(test)),
                np.sqrt(np.mean(fit.A**2)), fit.collapsed,
            )
            for fit in fits
        ]  # fmt: skip
        frames.append(pd.DataFrame(rows, columns=["lam", "loss", "train", "held_out", "size", "collapsed"]))
        by_lam = pd.concat(frames).groupby("lam")
        frame = by_lam[["loss", "train", "held_out", "size"]].mean()
        frame["held_out_sd"] = by_lam["held_out"].std(ddof=0)
        frame["collapsed"] = by_lam["collapsed"].all()
        yield LambdaPath(frame.reset_index(), first, float(np.mean(chances)), len(frames))

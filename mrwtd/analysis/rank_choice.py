"""The choice of a rank before a training: the search of `rank="auto"`, without the fit that follows it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..data.relational import RelationalData
from ..model import MrWTD
from ..model.cancellation import Cancelled
from ..model.diagnostics import without_warnings
from ..model.lambda_grid import GRID
from ..model.parameters import AUTO
from ..model.progress import Iteration, Stage
from ..model.rank_search import LAMBDAS, possible_ranks


@dataclass(frozen=True)
class RankChoice:
    """The suggested rank, and the path of the search: one row per rank, with its held-out score and λ."""

    rank: int
    path: pd.DataFrame


def suggest_rank(
    train: RelationalData, *, progress: Callable[[float, str], object] | None = None, **parameters: Any
) -> RankChoice | None:
    """The rank that MrWTD(rank="auto", **parameters) finds. Test entries are not used.

    The score is the criterion of the search for λ: the mean AUPRC of binary relations, or the equivalent for other
    kinds. `progress` is called with a fraction and the current rank as text, also during fits; returning True stops the
    search. The result is then the best so far, or None if there is none.

    >>> import mrwtd
    >>> choice = suggest_rank(mrwtd.load_dataset("florentine"), lam=1.0)
    >>> choice.rank in choice.path["rank"].tolist(), int(choice.path["rank"].min())
    (True, 2)
    """
    stages: dict[Stage, None] = {}
    fits = len(GRID) + LAMBDAS * (len(possible_ranks(train.n_objects)) - 1)

    def stop(step: Iteration) -> bool:
        if step.stage.kind != "search":  # the rank is known, and its fit to all entries is not needed
            return True
        stages[step.stage] = None
        return bool(progress is not None and progress(min(len(stages) / fits, 1.0), step.stage.option))

    model = MrWTD(**(parameters | {"rank": AUTO, "ensemble": 1}))
    try:
        with without_warnings():
            model.fit(train, stop)
    except Cancelled:
        return None
    return None if model.rank_path_ is None else RankChoice(model.rank_, model.rank_path_)

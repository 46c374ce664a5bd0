"""The choice of a rank: the validation score against the rank."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from ..data.relational import RelationalData
from ..model import MrWTD
from ..model.cancellation import Cancelled
from ..model.diagnostics import without_warnings
from ..model.progress import Iteration
from ..model.validation_splits import validation_splits

RANKS = (1, 2, 3, 5, 8, 12, 20, 30)


def rank_path(
    train: RelationalData,
    ranks: Sequence[int] = RANKS,
    *,
    progress: Callable[[int, int], object] | None = None,
    **parameters: Any,
) -> pd.DataFrame:
    """One row per rank: the score on held-out training entries. Test entries are not used.

    The score is the criterion of the search for λ: the mean AUPRC of binary relations, or the equivalent for other
    kinds. `progress` is called with (done, total), also during fits; returning True stops the search.

    >>> import mrwtd
    >>> path = rank_path(mrwtd.load_dataset("florentine"), ranks=[1, 2], lam=1.0)
    >>> path.columns.tolist(), len(path)
    (['rank', 'score', 'lam'], 2)
    """
    hold_out = validation_splits(train.observed(), int(parameters.get("seed", 0)))[0]
    rows: list[dict[str, float]] = []

    def stop(_: Iteration | None = None) -> bool:
        return bool(progress is not None and progress(len(rows), len(ranks)))

    for rank in ranks:
        if stop():
            break
        try:
            with without_warnings():
                model = MrWTD(**(parameters | {"rank": rank})).fit(hold_out.fitted, stop, hold_out.held)
        except Cancelled:
            break
        if stop():
            break
        rows.append({"rank": rank, "score": float(model.trace_["score"].iloc[-1]), "lam": model.lam_})
    return pd.DataFrame(rows, columns=["rank", "score", "lam"]).astype({"rank": int})


def best_rank(path: pd.DataFrame, within: float = 0.005) -> int:
    """The smallest rank whose score is within a tolerance of the best.

    >>> best_rank(pd.DataFrame({"rank": [1, 2, 4], "score": [0.2, 0.51, 0.512]}))
    2
    """
    good = path[path["score"] >= path["score"].max() - within]
    return int(good["rank"].min())

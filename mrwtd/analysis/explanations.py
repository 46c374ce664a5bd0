"""Why a pair is predicted: `explain`, in the coordinates that the other pages speak of."""

from __future__ import annotations

import pandas as pd

from ..data.relational import RelationalData
from ..model.explanation import Explanation
from ..model.factor_model import FactorModel
from ..model.method import Method
from ..model.mrwtd import MrWTD
from .rotation import principal_axes


def explain_prediction(
    model: Method, source: str, target: str, relation: str, train: RelationalData | None = None
) -> Explanation | None:
    """What speaks for and against a prediction, or None where the method gives no reasons.

    The columns of A are in no order and mean nothing alone, so that contributions of factors are told along the
    principal axes of A. They add up to the same score.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> why = explain_prediction(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), "Medici", "Ridolfi", "marriage")
    >>> bool(abs(why.bias + why.factors["contribution"].sum() - why.x) < 1e-9)
    True
    """
    if not isinstance(model, FactorModel):
        return None
    # What other methods have learned from cannot be told entry by entry.
    known = train if isinstance(model, MrWTD) else None
    return model.explain(source, target, relation, known, principal_axes(model.A_).basis)


def known_relationships(why: Explanation, top: int = 8) -> pd.DataFrame:
    """The known relationships of both objects that weigh most: of, source, relation, target, value, contribution.

    `of` is the object whose factors they shape. Each object's contributions add up to the score on their own, so those
    of the two are two ways to tell the same.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> why = explain_prediction(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), "Medici", "Ridolfi", "marriage")
    >>> known_relationships(why, top=2)["of"].tolist()
    ['Medici', 'Medici', 'Ridolfi', 'Ridolfi']
    """
    sides = [(why.source, why.source_entries), (why.target, why.target_entries)]
    parts = [entries.head(top).assign(of=name) for name, entries in sides if len(entries)]
    columns = ["of", "source", "relation", "target", "value", "contribution"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)

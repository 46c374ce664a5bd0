"""Explanations of predictions: `explain` on the principal axes that the other pages show."""

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
    """The contributions to a prediction, or None if the method cannot explain it.

    The columns of A have no order and no meaning alone, so contributions of factors are given along the principal axes
    of A. They add up to the same score.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> why = explain_prediction(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), "Medici", "Ridolfi", "marriage")
    >>> bool(abs(why.bias + why.factors["contribution"].sum() - why.x) < 1e-9)
    True
    """
    if not isinstance(model, FactorModel):
        return None
    # Only MrWTD can attribute a score to single training entries.
    known = train if isinstance(model, MrWTD) else None
    return model.explain(source, target, relation, known, principal_axes(model.A_).basis)


def known_relationships(why: Explanation, top: int = 8) -> pd.DataFrame:
    """The known relationships of both objects with the largest contributions.

    Columns: of, source, relation, target, value, contribution. `of` is the object whose factors they shape. The
    contributions of each object alone add up to the score, so the two lists are two explanations of the same score.

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

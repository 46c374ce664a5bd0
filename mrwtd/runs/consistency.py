"""Whether the parts of a run belong together: its models and its scores are of its data."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..analysis.latent_factors import latent_factors
from ..baselines import METHODS, make_method
from ..data.observed import observed
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..model.method import Method

SOME = 1_000
"""A model shows with this many predictions that it works."""


def check_parts(models: Mapping[str, Method], scores: pd.DataFrame, test: RelationalData) -> None:
    """Refuse models that do not predict the test entries of the data, and scores of other methods or relations.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> models = {"MrWTD": mrwtd.MrWTD(rank=2, lam=1.0).fit(train)}
    >>> scores = mrwtd.evaluate(models["MrWTD"], test).assign(method="MrWTD", seconds=0.1)
    >>> check_parts(models, scores, test)
    >>> check_parts(models, scores.replace("marriage", "money"), test)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found scores of other relations; expected a run that was exported here
    """
    some = test.subset(np.arange(len(test)) < SOME)
    try:
        wrong = _wrong_scores(models, scores, test) or next(
            filter(None, (_wrong_model(label, model, some) for label, model in models.items())), ""
        )
    except Exception as error:  # forged factors can fail in any way
        raise DataError(Problem("models that do not work", "a run that was exported here")) from error
    if wrong:
        raise DataError(Problem(wrong, "a run that was exported here"))


def _wrong_scores(models: Mapping[str, Method], scores: pd.DataFrame, test: RelationalData) -> str:
    measured = scores[scores["metric"] != ""]
    kinds = {relation.name: relation.kind for relation in test.relations}
    if set(measured["method"]) != set(models):
        return "scores of other methods"
    if any(kinds.get(name) != kind for name, kind in set(zip(measured["relation"], measured["kind"], strict=True))):
        return "scores of other relations"
    if not measured["entries"].any() and len(observed(test)):
        return "scores of no entry"
    if "seconds" not in measured or measured["seconds"].isna().any():
        return "scores that do not say how long a fit took"
    return ""


def _wrong_model(label: str, model: Method, some: RelationalData) -> str:
    if (model.objects_, model.relations_) != (some.objects, some.relations):
        return "models of other data"
    if label in METHODS and type(make_method(label)) is not type(model):
        return f"another method called {label}"
    answers = model.predict_all(some)
    if not all(answer.shape == (len(some),) for answer in answers):
        return "models that do not work"
    for relation in some.relations:
        factors = latent_factors(model, relation.name)
        if factors is not None and not _fit(factors.A, factors.R[relation.name], some.n_objects):
            return "factors of another size"
    return ""


def _fit(A: np.ndarray, R: np.ndarray, n_objects: int) -> bool:
    return A.shape == (n_objects, len(R)) and R.shape == (len(R), len(R)) and A.dtype.kind == "f"

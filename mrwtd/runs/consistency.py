"""Checks that the parts of a run belong together: models and scores match the data."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..analysis.latent_factors import latent_factors
from ..baselines import METHODS, make_method
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..model.method import Method

MAX_PREDICTIONS = 1_000
"""A model is tested with at most this many predictions."""


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
    sample = test.subset(np.arange(len(test)) < MAX_PREDICTIONS)
    try:
        checks = (_problem_with_model(label, model, sample) for label, model in models.items())
        problem = _problem_with_scores(models, scores, test) or next(filter(None, checks), "")
    except Exception as error:  # forged factors can fail in any way
        raise DataError(Problem("models that cannot predict", "a run that was exported here")) from error
    if problem:
        raise DataError(Problem(problem, "a run that was exported here"))


def _problem_with_scores(models: Mapping[str, Method], scores: pd.DataFrame, test: RelationalData) -> str:
    measured = scores[scores["metric"] != ""]
    kinds = {relation.name: relation.kind for relation in test.relations}
    if set(measured["method"]) != set(models):
        return "scores of other methods"
    if any(kinds.get(name) != kind for name, kind in set(zip(measured["relation"], measured["kind"], strict=True))):
        return "scores of other relations"
    if not measured["entries"].any() and len(test.observed()):
        return "scores of no entry"
    if "seconds" not in measured or measured["seconds"].isna().any():
        return "scores that do not say how long a fit took"
    return ""


def _problem_with_model(label: str, model: Method, sample: RelationalData) -> str:
    parts = (sample.objects, sample.relations, sample.object_types)
    if (model.objects_, model.relations_, model.object_types_) != parts:
        return "models of other data"
    if label in METHODS and type(make_method(label)) is not type(model):
        return f"another method called {label}"
    if any(output.shape != (len(sample),) for output in model.predict_all(sample)):
        return "models that cannot predict"
    for relation in sample.relations:
        factors = latent_factors(model, relation.name)
        if factors is None:
            continue
        A, R = factors.A, factors.R[relation.name]
        if A.shape != (sample.n_objects, len(R)) or R.shape != (len(R), len(R)) or A.dtype.kind != "f":
            return "factors of another size"
    return ""

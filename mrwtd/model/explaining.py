"""Why a prediction is what it is, in two ways that both add up to it.

By factors: x − b = Σ_fg a_i[f] R_k[f, g] a_j[g], a term for each pair of latent factors.

By known entries: where the fit has converged, ∂F/∂a_i = 0 says that λ a_i is a weighted sum over the known entries of
i, so

    x − b = a_i (R_k a_jᵀ) = Σ_e (−g_e / λ) v_e · R_k a_jᵀ

with v_e = R_l a_mᵀ for a known entry from i to m in relation l (R_lᵀ a_mᵀ for one from m to i), and g_e as in the
objective. Each known relationship of i speaks for or against the prediction by its term; likewise for j. What is left
over is how far the fit is from its minimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.relational import RelationalData
from .objective import Objective, reconstruct

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Explanation:
    """One prediction taken apart.

    Attributes:
        source, target, relation: what was asked.
        x: the reconstruction, `bias` plus the sum of the contributions in `factors`.
        bias: what the relation alone predicts.
        factors: a row a pair of factors: source_factor, target_factor, contribution; strongest first.
        source_entries, target_entries: the known entries of either object: source, relation, target, value,
        contribution;
            strongest first. Each frame's contributions sum to x − bias, up to `left_over`.
        left_over: what the entries of the source, and of the target, do not account for.
    """

    source: str
    target: str
    relation: str
    x: float
    bias: float
    factors: pd.DataFrame
    source_entries: pd.DataFrame
    target_entries: pd.DataFrame
    left_over: tuple[float, float]


def factor_contributions(a_i: Array, R: Array, a_j: Array) -> pd.DataFrame:
    """Every a_i[f] R[f, g] a_j[g], strongest first.

    >>> factor_contributions(np.array([1.0, 0.0]), np.eye(2), np.array([2.0, 3.0])).iloc[0].tolist()
    [0.0, 0.0, 2.0]
    """
    terms = a_i[:, None] * R * a_j[None, :]
    f, g = np.indices(terms.shape)
    frame = pd.DataFrame({"source_factor": f.ravel(), "target_factor": g.ravel(), "contribution": terms.ravel()})
    return frame.sort_values("contribution", key=np.abs, ascending=False, ignore_index=True, kind="stable")


def entry_contributions(objective: Objective, A: Array, R: Array, slopes: Array, i: int, q: Array) -> pd.DataFrame:
    """What each known entry of object i adds to a_i · q, strongest first."""
    data = objective.data
    mine = np.flatnonzero((data.i == i) | (data.j == i))
    k, value = data.k[mine], data.unit_values()[mine]
    terms = np.zeros(mine.size)
    for as_source in (True, False):
        own = data.i[mine] == i if as_source else data.j[mine] == i
        other = (data.j if as_source else data.i)[mine][own]
        relations = R[k[own]] if as_source else R[k[own]].transpose(0, 2, 1)
        v = np.einsum("efg,eg->ef", relations, A[other])
        terms[own] += -slopes[mine][own] / objective.lam * (v @ q)
    frame = pd.DataFrame(
        {
            "source": [data.objects[at] for at in data.i[mine]],
            "relation": [data.relations[at].name for at in k],
            "target": [data.objects[at] for at in data.j[mine]],
            "value": value,
            "contribution": terms,
        }
    )
    return frame.sort_values("contribution", key=np.abs, ascending=False, ignore_index=True, kind="stable")


def entry_slopes(objective: Objective, theta: Array, biases: Array, data: RelationalData) -> Array:
    """g_e = c_e ∂ℓ/∂x at every known entry."""
    factors = objective.layout.unpack(theta)
    x = reconstruct(factors, np.zeros_like(biases), data)
    slopes = np.empty_like(x)
    for k, loss in enumerate(objective.losses):
        at = data.slice(k)
        slopes[at] = loss.evaluate(objective.y[at], x[at], factors.extras[k])[1]
    return slopes * objective.coefficients

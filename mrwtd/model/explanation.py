"""Explanations of a prediction, in two ways that both add up to it.

By factors: x − b = Σ_fg a_i[f] R_k[f, g] a_j[g], one term per pair of latent factors.

By known entries: if the fit has converged, ∂F/∂a_i = 0 says that λ a_i is a weighted sum over the known entries of
i, so

    x − b = a_i (R_k a_jᵀ) = Σ_e (−g_e / λ) v_e · R_k a_jᵀ

with v_e = R_l a_mᵀ for a known entry from i to m in relation l (R_lᵀ a_mᵀ for one from m to i), and g_e as in the
objective. The term of each known relationship of i is its contribution for or against the prediction; likewise for j.
The remainder shows how far the fit is from its minimum.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from ..data.arguments import argument_error
from ..data.relational import RelationalData
from ..typing import Array, IndexArray
from .layout import Factors
from .objective import Objective, reconstruct


@dataclass(frozen=True)
class Explanation:
    """The parts of one prediction.

    Attributes:
        source, target, relation: of the prediction.
        x: the reconstruction, `bias` plus the sum of the contributions in `factors`.
        bias: the prediction of the relation alone.
        factors: one row per pair of factors: source_factor, target_factor, contribution; strongest first.
        source_entries, target_entries: the known entries of either object: source, relation, target, value,
            contribution; strongest first. Each frame's contributions sum to x − bias, up to `left_over`.
        left_over: the remainder that the entries of the source, and of the target, do not explain.
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

    entry_columns: ClassVar[tuple[str, ...]] = ("source", "relation", "target", "value", "contribution")


def member_terms(
    A: Array, R: Array, towards: Array, i: int, j: int, axes: Array | None = None, sides: int = 0
) -> Array:
    """Every a_i[f] R[f, g] a_j[g], in coordinates that rotate A towards another A, or to the axes of that.

    A rotation changes the terms, not their sum: any orthonormal Q gives (A Q) (Qᵀ R Q) (A Q)ᵀ = A R Aᵀ. If the blocks
    of R are diagonal, `sides` by `sides` of them, factors are only reordered, so that they remain diagonal.

    >>> A, R = np.array([[1.0, 0.0], [2.0, 3.0]]), np.eye(2)
    >>> member_terms(A, R, A, 0, 1).tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    turn = np.eye(A.shape[1])
    if not np.array_equal(A, towards):
        alike = A.T @ towards
        if sides:
            rank = A.shape[1] // sides
            blocks = [slice(first, first + rank) for first in range(0, A.shape[1], rank)]
            rows, columns = linear_sum_assignment(-np.sum([np.abs(alike[block, block]) for block in blocks], axis=0))
            turn[:] = 0.0
            for block in blocks:  # the columns of both sides that belong to one factor stay together
                turn[block, block][rows, columns] = np.where(alike[block, block][rows, columns] < 0, -1.0, 1.0)
        else:
            left, _, right = np.linalg.svd(alike)  # the nearest orthonormal turn: Procrustes
            turn = left @ right
    if axes is not None:
        turn = turn @ _checked_axes(axes, A.shape[1])
    a_i, a_j = A[i] @ turn, A[j] @ turn
    return np.asarray(a_i[:, None] * (turn.T @ R @ turn) * a_j[None, :])


def _checked_axes(axes: object, rank: int) -> Array:
    values = np.asarray(axes)
    if values.dtype.kind not in "biuf" or values.shape != (rank, rank) or not np.isfinite(values).all():
        raise argument_error("axes", axes, f"a {rank} × {rank} array of numbers, one column per axis")
    return values.astype(np.float64)


def factor_frame(terms: Array) -> pd.DataFrame:
    """Terms of pairs of factors as a frame, strongest first.

    >>> factor_frame(np.array([[2.0, 0.0], [0.0, -3.0]])).iloc[0].tolist()
    [1.0, 1.0, -3.0]
    """
    f, g = np.indices(terms.shape)
    frame = pd.DataFrame({"source_factor": f.ravel(), "target_factor": g.ravel(), "contribution": terms.ravel()})
    return frame.sort_values("contribution", key=np.abs, ascending=False, ignore_index=True, kind="stable")


def entries_of(data: RelationalData, i: int) -> IndexArray:
    """The positions of the entries of object i."""
    return np.flatnonzero((data.i == i) | (data.j == i))


def entry_contributions(objective: Objective, A: Array, R: Array, slopes: Array, i: int, q: Array) -> Array:
    """The contribution of each known entry of object i to a_i · q, in the order of `entries_of`."""
    data = objective.data
    positions = entries_of(data, i)
    k, terms = data.k[positions], np.zeros(positions.size)
    for as_source in (True, False):
        matches = data.i[positions] == i if as_source else data.j[positions] == i
        other = (data.j if as_source else data.i)[positions][matches]
        relations = R[k[matches]] if as_source else R[k[matches]].transpose(0, 2, 1)
        v = np.einsum("efg,eg->ef", relations, A[other])
        terms[matches] += -slopes[positions][matches] / objective.lam * (v @ q)
    return terms


def entry_frame(data: RelationalData, i: int, contributions: Array) -> pd.DataFrame:
    """The known entries of object i with their contributions, strongest first."""
    positions = entries_of(data, i)
    frame = pd.DataFrame(
        {
            "source": [data.objects[position] for position in data.i[positions]],
            "relation": [data.relations[k].name for k in data.k[positions]],
            "target": [data.objects[position] for position in data.j[positions]],
            "value": data.original_values()[positions],
            "contribution": contributions,
        }
    )
    return frame.sort_values("contribution", key=np.abs, ascending=False, ignore_index=True, kind="stable")


def entry_slopes(objective: Objective, factors: Factors) -> Array:
    """g_e = c_e ∂ℓ/∂x at every entry of the objective."""
    data = objective.data
    x = reconstruct(factors, np.zeros(data.n_relations), data)
    slopes = np.empty_like(x)
    for k, loss in enumerate(objective.losses):
        entries = data.slice(k)
        slopes[entries] = loss.evaluate(objective.y[entries], x[entries], factors.extras[k])[1]
    return slopes * objective.coefficients

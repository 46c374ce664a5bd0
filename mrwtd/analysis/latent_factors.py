"""The latent factors of any method that has them, in one form: x = A R_k Aᵀ + b_k.

Methods with two factors for each object, u and v, fit in as well: with A = [U V],

    U Vᵀ = A [[0, I], [0, 0]] Aᵀ,

and for an undirected relation, where the method takes the mean of both directions, I/2 stands in both corners. A
diagonal of weights, as in BPTF, takes the place of I.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.method import Method
from ..typing import Array


@dataclass(frozen=True)
class LatentFactors:
    """Factors of a fitted method.

    Attributes:
        A: (n, r), a row an object.
        R: {relation: (r, r)}.
        shared: whether A serves all relations; if not, it is that of the one relation in R.
    """

    A: Array
    R: dict[str, Array]
    shared: bool


def latent_factors(model: Method, relation: str) -> LatentFactors | None:
    """The factors of a method, or nothing where it has none; of methods that learn each relation alone, the relation's.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> found = latent_factors(mrwtd.make_method("MMMF", rank=2, lam=1.0).fit(data), "marriage")
    >>> found.A.shape, found.R["marriage"].shape, found.shared
    ((15, 4), (4, 4), False)
    >>> latent_factors(mrwtd.make_method("Degree").fit(data), "marriage") is None
    True
    """
    names = [own.name for own in model.relations_]
    k = names.index(relation)
    A, U, V = (getattr(model, name, None) for name in ("A_", "U_", "V_"))
    if A is not None:
        shared = A.ndim == 2
        R = getattr(model, "R_")  # noqa: B009 - not every method has it
        return (
            LatentFactors(A, dict(zip(names, R, strict=True)), True)
            if shared
            else LatentFactors(A[k], {relation: R[k]}, False)
        )
    if U is None or V is None:
        return None
    T = getattr(model, "T_", None)
    directed = [own.directed for own in model.relations_]
    if U.ndim == 3:
        return LatentFactors(np.hstack([U[k], V[k]]), {relation: _across(np.ones(U.shape[2]), directed[k])}, False)
    weights = np.ones((len(names), U.shape[1])) if T is None else T
    corners = {name: _across(own, way) for name, own, way in zip(names, weights, directed, strict=True)}
    return LatentFactors(np.hstack([U, V]), corners, True)


def _across(weights: Array, directed: bool) -> Array:
    r = weights.size
    R = np.zeros((2 * r, 2 * r))
    R[:r, r:] = np.diag(weights) if directed else np.diag(weights / 2)
    return R if directed else R + R.T

"""The latent factors of any method that has them, in one form: x = A R_k Aᵀ + b_k.

Methods with two factors per object, u and v, have the same form with A = [U V]:

    U Vᵀ = A [[0, I], [0, 0]] Aᵀ.

For an undirected relation, where the method uses the mean of both directions, both corners are I/2. For BPTF, I is a
diagonal of weights, and CP with directed relations has this A and these R_k as learned attributes.
"""

from dataclasses import dataclass

import numpy as np

from ..baselines.cp_start import corners
from ..model.method import Method
from ..typing import Array


@dataclass(frozen=True)
class LatentFactors:
    """Factors of a fitted method.

    Attributes:
        A: (n, r), one row per object.
        R: {relation: (r, r)}.
        shared: whether A is shared by all relations; if not, it belongs to the only relation in R.
        two_sided: whether objects have different factors as source and as target, so that A = [U V].
    """

    A: Array
    R: dict[str, Array]
    shared: bool
    two_sided: bool


def latent_factors(model: Method, relation: str) -> LatentFactors | None:
    """The factors of a method, or None if it has none. Methods that fit each relation alone give those of the relation.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> factors = latent_factors(mrwtd.make_method("MMMF", rank=2, lam=1.0).fit(data), "marriage")
    >>> factors.A.shape, factors.R["marriage"].shape, factors.shared
    ((15, 4), (4, 4), False)
    >>> latent_factors(mrwtd.make_method("Degree").fit(data), "marriage") is None
    True
    """
    names = [known.name for known in model.relations_]
    k = names.index(relation)
    A, U, V = (getattr(model, name, None) for name in ("A_", "U_", "V_"))
    if A is not None:
        R = getattr(model, "R_")  # noqa: B009 - not every method has it
        if A.ndim == 3:
            return LatentFactors(A[k], {relation: R[k]}, False, False)
        return LatentFactors(A, dict(zip(names, R, strict=True)), True, model.columns > model.rank_)
    if U is None or V is None:
        return None
    T = getattr(model, "T_", None)
    directed = [known.directed for known in model.relations_]
    if U.ndim == 3:
        return LatentFactors(
            np.hstack([U[k], V[k]]), {relation: corners(np.ones(U.shape[2]), directed[k])}, False, True
        )
    weights = np.ones((len(names), U.shape[1])) if T is None else T
    every = {name: corners(row, way) for name, row, way in zip(names, weights, directed, strict=True)}
    return LatentFactors(np.hstack([U, V]), every, True, True)

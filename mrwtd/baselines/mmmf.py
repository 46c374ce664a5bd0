"""MMMF: fast maximum-margin matrix factorisation of each relation alone, x = u_i · v_j + b.

    F(U, V, b) = λ/2 ‖U‖² + λ/2 ‖V‖² + Σ_e w_e ℓ(y_e, u_i · v_j + b)

An undirected entry is in the sum in both directions, and its prediction is the mean of both. With U and V stacked into
one W of 2n rows, an entry (i, j) is the product of the rows i and n + j: the two compiled passes of MrWTD do the work.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..data.relational import RelationalData
from ..model import kernels
from ..model.layout import Factors, Layout
from ..model.losses import Loss
from ..model.objective import BLOCK, Objective
from ..model.search import COLLAPSED
from ..model.starts import best_constants, leading_vectors, residuals
from .slices import SliceBySlice

Array = npt.NDArray[np.float64]


class MMMF(SliceBySlice):
    """Each relation is φ_k(U_k V_kᵀ + b_k), fitted to its known entries only, with nothing shared.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = MMMF(rank=2, lam=1.0).fit(train)
    >>> model.U_.shape, model.V_.shape, model.b_.shape
    ((2, 15, 2), (2, 15, 2), (2,))

    Args:
        rank: how many latent factors an object has, in each relation and on each side of it.
        loss: as of `MrWTD`, but "auto" is the smooth hinge for binary relations.
        lam: the strength λ of the L2 regularisation, one for all relations, or "auto" for a search.
        max_iter: at most so many iterations a relation.
        tol: stop when the objective falls by less than this share of itself in five iterations.
        seed: of every random choice.

    Learned attributes, besides those of every method:
        U_, V_, b_: the factors of each relation, (m, n, r), and its bias, 0 for ordinal ones.
        cuts_: {relation: ascending cut points} of ordinal relations.
        lam_, lam_path_: the λ used, and the scores along the search for it (empty where λ was given).
    """

    usual: ClassVar = {"binary": "smooth-hinge"}

    U_: Array
    V_: Array

    def _objective(self, data: RelationalData, y: Array, loss: Loss) -> PairObjective:
        return PairObjective(data, y, loss, int(self.rank), 1.0)

    def _start(self, objective: PairObjective) -> Array:
        return objective.start(np.random.default_rng(self.seed))

    def _vanished(self, factors: Factors) -> bool:
        U, V = np.split(factors.A, 2)
        return bool(np.sqrt(np.mean(U**2) * np.mean(V**2)) * factors.rank < COLLAPSED)

    def _keep_factors(self, factors: list[Factors]) -> None:
        self.U_, self.V_ = np.stack([np.split(own.A, 2) for own in factors], axis=1)

    def _sides(self, k: int) -> tuple[Array, Array]:
        return self.U_[k], self.V_[k]


class PairObjective:
    """Value and gradient of F for the one relation of the data.

    >>> import mrwtd
    >>> from mrwtd.model.losses import loss_named
    >>> data = mrwtd.load_dataset("florentine").only(["marriage"])
    >>> objective = PairObjective(data, data.y, loss_named("smooth-hinge"), rank=2, lam=1.0)
    >>> value, gradient = objective(np.zeros(objective.layout.size))
    >>> value / len(data), gradient.size  # 1/2 for each direction; U, V and b
    (1.0, 61)
    """

    def __init__(self, data: RelationalData, y: Array, loss: Loss, rank: int, lam: float):
        self.data, self.y, self.loss, self.lam = data, y, loss, float(lam)
        self.layout = Layout(2 * data.n_objects, 0, rank, (loss.extras(data.relations[0]),))
        self.evaluations = 0
        i, j, rows = data.i, data.j, np.arange(len(data))
        if not data.relations[0].directed:
            off = np.flatnonzero(i != j)
            i, j, rows = np.concatenate([i, j[off]]), np.concatenate([j, i[off]]), np.concatenate([rows, off])
            order = np.lexsort((j, i))  # the compiled pass is fastest where entries of one i stand together
            i, j, rows = i[order], j[order], rows[order]
        self._i, self._j = i.astype(np.uint32), (j + data.n_objects).astype(np.uint32)
        self._y, self._w = y[rows], data.w[rows]

    def with_lam(self, lam: float) -> PairObjective:
        """The same objective with another λ; nothing is computed again."""
        other = object.__new__(PairObjective)
        other.__dict__.update(self.__dict__, lam=float(lam), evaluations=0)
        return other

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient at theta, which holds U, V and the extras."""
        self.evaluations += 1
        factors = self.layout.unpack(theta)
        W, extras = factors.A, factors.extras[0]
        cut = kernels.chunks(factors.rank)
        parts = [np.ascontiguousarray(W[:, chunk]) for chunk in cut]
        slopes = [np.zeros((1, *part.shape)) for part in parts]
        grad_extras = np.zeros_like(extras)
        value = 0.5 * self.lam * float(np.vdot(W, W))
        for first in range(0, self._i.size, BLOCK):
            at = slice(first, first + BLOCK)
            i, j, w = self._i[at], self._j[at], self._w[at]
            starts, x = np.array([0, i.size]), np.zeros(i.size)
            for part in parts:
                kernels.add_products(starts, i, j, part[None], part, x)
            losses, slope, extra_slopes = self.loss.evaluate(self._y[at], x, extras)
            value += float(w @ losses)
            grad_extras += extra_slopes @ w
            for part, own in zip(parts, slopes, strict=True):
                kernels.add_outer(starts, i, j, slope * w, part, own, own)
        grad_W = np.concatenate([own[0] for own in slopes], axis=1) + self.lam * W
        return value, np.concatenate([grad_W.reshape(-1), grad_extras])

    def start(self, rng: np.random.Generator) -> Array:
        """The leading singular vectors of minus the loss's derivative at the best constant, as of MrWTD's start."""
        n, rank = self.data.n_objects, self.layout.rank
        whole = Objective(self.data, [self.loss], rank, 1.0, y=self.y)
        extras = best_constants(whole, 0)
        (Y,), (bend,) = residuals(whole, (extras,))
        U = leading_vectors(lambda X: Y @ (Y.T @ X), n, rank, rng)
        V = Y.T @ U / (bend * self._i.size / n**2)
        root = np.sqrt(np.sqrt((V**2).sum(axis=0)))
        V = np.divide(V, root, out=np.zeros_like(V), where=root > 0)
        return np.concatenate([(U * root).reshape(-1), V.reshape(-1), extras])


METHODS = {"MMMF": MMMF}

"""The objective of MMMF for one relation, x = u_i · v_j + b, and its gradient.

    F(U, V, b) = λ/2 ‖U‖² + λ/2 ‖V‖² + Σ_e w_e ℓ(y_e, u_i · v_j + b)

An undirected entry is in the sum in both directions. With U and V stacked into one W of 2n rows, an entry (i, j) is
the product of the rows i and n + j, so that the two compiled passes of MrWTD do the work.
"""

from __future__ import annotations

import numpy as np

from ..data.relational import RelationalData
from ..data.validation import radix_argsort
from ..model import kernels
from ..model.initialization import best_constants, leading_vectors, residual
from ..model.layout import Layout
from ..model.losses import Loss
from ..model.objective import BLOCK, Objective
from ..typing import Array


class PairObjective:
    """Value and gradient of F for the one relation of the data, with values y instead of those of the data.

    >>> import mrwtd
    >>> from mrwtd.model.losses import LOSSES
    >>> data = mrwtd.load_dataset("florentine").select_relations(["marriage"])
    >>> objective = PairObjective(data, data.y, LOSSES["smooth-hinge"], rank=2, lam=1.0)
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
            # The compiled pass is fastest if entries of one i are neighbours.
            order = radix_argsort(i, data.n_objects)
            i, j, rows = i[order], j[order], rows[order]
        self._i, self._j = i.astype(np.uint32), (j + data.n_objects).astype(np.uint32)
        self._y, self._w = y[rows], data.w[rows] / loss.dispersion(data.y)

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
        parts = kernels.column_chunks(W)
        slopes = [np.zeros((1, *part.shape)) for part in parts]
        grad_extras = np.zeros_like(extras)
        value = 0.5 * self.lam * float(np.vdot(W, W))
        for first in range(0, self._i.size, BLOCK):
            block = slice(first, first + BLOCK)
            i, j, w = self._i[block], self._j[block], self._w[block]
            starts, x = np.array([0, i.size]), np.zeros(i.size)
            for part in parts:
                kernels.add_products(starts, i, j, part[None], part, x)
            losses, slope, extra_slopes = self.loss.evaluate(self._y[block], x, extras)
            value += float(w @ losses)
            grad_extras += extra_slopes @ w
            for part, part_slope in zip(parts, slopes, strict=True):
                kernels.add_outer(starts, i, j, slope * w, part, part_slope, part_slope)
        grad_W = np.concatenate([part_slope[0] for part_slope in slopes], axis=1) + self.lam * W
        return value, np.concatenate([grad_W.reshape(-1), grad_extras])

    def start(self, seed: int) -> Array:
        """The leading singular vectors of minus the derivative of the loss at the best constant, as in MrWTD."""
        n, rank = self.data.n_objects, self.layout.rank
        if not len(self.data):
            return np.zeros(self.layout.size)  # the result of the fit
        objective = Objective(self.data, [self.loss], rank, 1.0, y=self.y)
        extras = best_constants(objective, 0)
        Y, curvature = residual(objective, 0, extras)
        U = leading_vectors(lambda X: Y @ (Y.T @ X), n, rank, np.random.default_rng(seed))
        V = Y.T @ U / (curvature * self._i.size / n**2)
        root = np.sqrt(np.sqrt((V**2).sum(axis=0)))
        V = np.divide(V, root, out=np.zeros_like(V), where=root > 0)
        return np.concatenate([(U * root).reshape(-1), V.reshape(-1), extras])

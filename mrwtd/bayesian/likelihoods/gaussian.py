"""Values with Gaussian noise of unknown size: real ones, and those of any kind in BTF."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ...data.relations import Relation
from ...typing import Array
from ..gibbs.relation_draws import gamma
from .likelihood import Likelihood


class Gaussian(Likelihood):
    """y ~ N(x, 1/α), α ~ Gamma(1/2, 1/2); values are standardized. `draw_noise` draws α."""

    loss: ClassVar[str] = "quadratic"
    unit: ClassVar[str] = "deviations"
    moves: ClassVar[bool] = False

    def __init__(self, relation: Relation, y: Array, w: Array):
        super().__init__(relation, y, w)
        self.alpha = 1.0

    def parameters(self) -> Array:
        """The precision of the noise."""
        return np.array([self.alpha])

    def draw(self, x: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """√ω and √ω z."""
        root = np.sqrt(self.alpha * self.w)
        return root, root * self.y

    def log_likelihood(self, x: Array) -> float:
        """The log-likelihood of all entries."""
        return -0.5 * float(self.w @ (self.alpha * (self.y - x) ** 2 - np.log(self.alpha / (2 * np.pi))))


def noise_groups(relations: Sequence[Relation], likelihoods: Sequence[Likelihood]) -> list[dict[int, Gaussian]]:
    """The likelihoods with the same noise, by relation: all Gaussian binary ones together, others each by itself.

    >>> binary, real = (Relation(kind, kind, directed=True) for kind in ("binary", "real"))
    >>> relations, one = (real, binary, binary, real), np.ones(1)
    >>> [[*group] for group in noise_groups(relations, [Gaussian(relation, one, one) for relation in relations])]
    [[1, 2], [0], [3]]
    """
    members = {k: each for k, each in enumerate(likelihoods) if isinstance(each, Gaussian) and each.y.size}
    binary = {k: each for k, each in members.items() if relations[k].kind == "binary"}
    return [group for group in (binary, *({k: each} for k, each in members.items() if k not in binary)) if group]


def draw_noise(members: Sequence[tuple[Gaussian, Array]], rng: np.random.Generator) -> None:
    """Draw the precision α of likelihoods with the same noise, given x of each."""
    count = squares = 0.0
    for member, x in members:
        apart = member.y - x
        count += float(member.w.sum())
        squares += float(member.w @ (apart * apart))
    alpha = gamma(rng, count, squares)
    for member, _ in members:
        member.alpha = alpha

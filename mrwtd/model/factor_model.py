"""`FactorModel`: what can be asked of fitted factors A, R_k and b_k, however they were learned."""

from __future__ import annotations

from copy import copy
from difflib import get_close_matches
from typing import Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.errors import DataError, Problem
from ..data.relational import RelationalData
from . import folding, ranking
from .explaining import Explanation, entry_contributions, entry_slopes, factor_contributions
from .layout import Factors
from .losses import Loss, loss_named
from .method import Method, in_range
from .objective import Objective, reconstruct
from .snapshots import Snapshot

Array = npt.NDArray[np.float64]


class FactorModel(Method):
    """A fitted φ_k(A R_k Aᵀ + b_k), or an ensemble of them: predictions, spread, best pairs, reasons, new objects.

    Learned attributes, besides those of every method:
        A_, R_, b_: the factors, of an ensemble its member of least objective; b_ is 0 for ordinal relations.
        cuts_: {relation: ascending cut points} of ordinal relations.
        lam_: the λ of the fit.
        members_: the factors of each fit of the ensemble.
        train_: the training entries, for `explain`.
    """

    A_: Array
    R_: Array
    b_: Array
    cuts_: dict[str, Array]
    lam_: float
    members_: tuple[Factors, ...]
    train_: RelationalData | None
    snapshots_: tuple[Snapshot, ...]

    def _objective(self, data: RelationalData, losses: list[Loss], lam: float) -> Objective:
        raise NotImplementedError

    def _extras(self, k: int) -> Array:
        cuts: Array = self.cuts_.get(self.relations_[k].name, self.b_[k : k + 1])
        return cuts

    def _member_x(self, entries: RelationalData, relations: npt.NDArray[np.int32]) -> list[Array]:
        losses = [loss_named(name) for name in self.losses_.values()]
        return [reconstruct(member, biases_of(member, losses), entries, relations) for member in self.members_]

    def _reconstruct(self, entries: RelationalData, relations: npt.NDArray[np.int32]) -> Array:
        x = self._member_x(entries, relations)
        return x[0] if len(x) == 1 else np.asarray(np.mean(x, axis=0))

    def _probability(self, x: Array, entries: RelationalData, relations: npt.NDArray[np.int32]) -> Array:
        """Averaged over the ensemble."""
        if len(self.members_) == 1:
            return super()._probability(x, entries, relations)
        total = np.zeros_like(x)
        for one in self._member_x(entries, relations):
            total += super()._probability(one, entries, relations)
        return total / len(self.members_)

    def spread(self, entries: RelationalData) -> Array:
        """The standard deviation over the ensemble: of the probability where there is one, else of the prediction.

        >>> import mrwtd
        >>> data = mrwtd.load_dataset("florentine")
        >>> bool((mrwtd.MrWTD(rank=2, lam=0.3, ensemble=3).fit(data).spread(data) >= 0).all())
        True
        """
        entries, relations = self._align(entries)
        if len(self.members_) < 2:
            return np.full(len(entries), np.nan)
        drawn = []
        for x in self._member_x(entries, relations):
            probability = super()._probability(x, entries, relations)
            binary = np.array([self.relations_[k].kind == "binary" for k in relations])[entries.k]
            value = np.where(binary, x, self._map(x, entries, relations))
            drawn.append(np.where(np.isnan(probability), value, probability))
        return np.asarray(np.std(drawn, axis=0))

    def rank_pairs(self, relation: str, top: int = 100, exclude: RelationalData | None = None) -> pd.DataFrame:
        """The best-scoring pairs of different objects in a relation, best first.

        `exclude` leaves out the pairs that it has an entry for, such as those of the training data.

        >>> import mrwtd
        >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
        >>> mrwtd.MrWTD(rank=2, lam=1.0).fit(train).rank_pairs("marriage", top=2, exclude=train).columns.tolist()
        ['source', 'target', 'score', 'prediction', 'probability']
        """
        self._fitted()
        in_range("top", top, 1, whole=True)
        k = self._position(relation)
        factors = self._stacked()
        known = ranking.known_pairs(None if exclude is None else self._align(exclude)[0], relation)
        i, j, _ = ranking.best_pairs(factors.A, factors.R[k], self.relations_[k].directed, int(top), known)
        asked = RelationalData(
            self.objects_,
            (self.relations_[k],),
            i,
            j,
            np.zeros_like(i),
            np.zeros(i.size) if self.relations_[k].kind != "binary" else np.ones(i.size),
        )
        answers = pd.DataFrame(
            {
                "source": [self.objects_[at] for at in asked.i],
                "target": [self.objects_[at] for at in asked.j],
                "score": self.decision_function(asked),
                "prediction": self.predict(asked),
                "probability": self.predict_proba(asked),
            }
        )
        return answers.sort_values("score", ascending=False, ignore_index=True, kind="stable")

    def explain(self, source: str, target: str, relation: str, train: RelationalData | None = None) -> Explanation:
        """How the factors, and the known entries of both objects, add up to one prediction.

        The training entries are those of `fit`; a model loaded from a file needs them given if they were too many to
        store.

        >>> import mrwtd
        >>> data = mrwtd.load_dataset("florentine")
        >>> why = mrwtd.MrWTD(rank=2, lam=1.0).fit(data).explain("Medici", "Ridolfi", "marriage")
        >>> bool(np.isclose(why.bias + why.factors["contribution"].sum(), why.x))
        True
        """
        self._fitted()
        i, j, k = self._object(source), self._object(target), self._position(relation)
        known = train if train is not None else self.train_
        A, R, b = self.A_, self.R_, self.b_
        x = float(A[i] @ R[k] @ A[j] + b[k])
        empty = pd.DataFrame(columns=["source", "relation", "target", "value", "contribution"])
        frames, left = [empty, empty], [float("nan"), float("nan")]
        if known is not None and self.lam_ > 0:
            objective = self._objective(known, [loss_named(name) for name in self.losses_.values()], self.lam_)
            best = next(member for member in self.members_ if member.A is A or np.array_equal(member.A, A))
            slopes = entry_slopes(objective, objective.layout.pack(best), b, known)
            for side, (own, q) in enumerate(((i, R[k] @ A[j]), (j, R[k].T @ A[i]))):
                frames[side] = entry_contributions(objective, A, R, slopes, own, q)
                left[side] = x - float(b[k]) - float(frames[side]["contribution"].sum())
        factors = factor_contributions(A[i], R[k], A[j])
        return Explanation(source, target, relation, x, float(b[k]), factors, frames[0], frames[1], (left[0], left[1]))

    def fold_in(self, entries: RelationalData | pd.DataFrame) -> Self:
        """A model that also knows new objects, their factors learned from their entries with all else fixed.

        `entries` names the new objects and some of their relationships, with known objects or among themselves: a
        frame with the columns source, relation, target and value, or data. The model itself stays as it is.

        >>> import mrwtd
        >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
        >>> new = pd.DataFrame({"source": ["Bardi"], "relation": ["marriage"], "target": ["Medici"], "value": [1.0]})
        >>> model.fold_in(new).objects_[-1]
        'Bardi'
        """
        self._fitted()
        known = folding.as_entries(entries, self.objects_, self.relations_)
        losses = [loss_named(name) for name in self.losses_.values()]
        objective = self._objective(known, losses, self.lam_)
        wider = copy(self)
        wider.objects_ = known.objects
        wider.members_ = tuple(folding.fold_in(objective, member) for member in self.members_)
        at = next(number for number, member in enumerate(self.members_) if np.array_equal(member.A, self.A_))
        wider.A_ = wider.members_[at].A
        wider.snapshots_, wider.train_ = (), None
        return wider

    def _stacked(self) -> Factors:
        """Factors whose product is the mean of the members' products: members side by side, R block-diagonal."""
        if len(self.members_) == 1:
            return self.members_[0]
        A = np.hstack([member.A for member in self.members_])
        R = np.zeros((len(self.relations_), A.shape[1], A.shape[1]))
        at = 0
        for member in self.members_:
            R[:, at : at + member.rank, at : at + member.rank] = member.R / len(self.members_)
            at += member.rank
        return Factors(A, R, ())

    def _object(self, name: str) -> int:
        if name not in self.objects_:
            near = get_close_matches(name, self.objects_, 3)
            hint = f"one of the {len(self.objects_):,} objects" + (
                f", such as {', '.join(map(repr, near))}" if near else ""
            )
            raise DataError(Problem(f"the object {name!r}", hint))
        return self.objects_.index(name)

    def _position(self, relation: str) -> int:
        names = [own.name for own in self.relations_]
        if relation not in names:
            raise DataError(Problem(f"the relation {relation!r}", f"one of {', '.join(map(repr, names))}"))
        return names.index(relation)


def has_cuts(loss: Loss) -> bool:
    """Whether a loss learns something else than one bias."""
    return type(loss).extras is not Loss.extras


def biases_of(factors: Factors, losses: list[Loss]) -> Array:
    """Each relation's bias: 0 where the loss has cut points in its place."""
    pairs = zip(losses, factors.extras, strict=True)
    return np.array([0.0 if has_cuts(loss) else extra[0] for loss, extra in pairs])

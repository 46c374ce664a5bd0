"""`FactorModel`: what can be asked of fitted factors A, R_k and b_k, however they were learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from difflib import get_close_matches
from typing import ClassVar, Self

import numpy as np
import pandas as pd

from ..data.arguments import check_range, short_repr
from ..data.observed import observed
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..typing import Array, Int32Array
from . import fold_in, rank_pairs
from .explanation import Explanation, entry_contributions, entry_frame, entry_slopes, factor_frame, member_terms
from .layout import Factors
from .learned import Rule, are_members, are_snapshots, cuts, is_training, numbers, one_number
from .losses import LOSSES, Loss
from .objective import Objective, reconstruct
from .regularized import RegularizedMethod
from .snapshots import Snapshot


class FactorModel(RegularizedMethod):
    """A fitted φ_k(A R_k Aᵀ + b_k), or an ensemble of them: predictions, spread, best pairs, reasons, new objects.

    Learned attributes, besides those of every method:
        A_, R_, b_: the factors of the fit to all entries; b_ is 0 for ordinal relations.
        cuts_: {relation: ascending cut points} of ordinal relations.
        lam_: the λ of the fit.
        members_: the factors of each refit of an ensemble, which predictions average; else those of the fit.
        train_: the training entries, for `explain`.
    """

    diagonal: ClassVar[bool] = False
    """Whether R_k is held diagonal."""

    learned: ClassVar[Mapping[str, Rule]] = {
        "A_": numbers("n", "r"),
        "R_": numbers("m", "r", "r"),
        "b_": numbers("m"),
        "cuts_": cuts(of_all=True),
        "lam_": one_number(0),
        "members_": are_members,
        "train_": is_training,
        "snapshots_": are_snapshots,
    }

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

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        """The mean over the ensemble."""
        losses = [LOSSES[name] for name in self.losses_.values()]
        x = [reconstruct(member, biases_of(member, losses), entries, relations) for member in self.members_]
        return x[0] if len(x) == 1 else np.asarray(np.mean(x, axis=0))

    def _map(
        self,
        x: Array,
        entries: RelationalData,
        relations: Int32Array,
        extras: Sequence[Array] | None = None,
    ) -> Array:
        """φ(x), averaged over the ensemble: a rate or a real number is the members' mean, a level the nearest to it."""
        predicted = super()._map(x, entries, relations, extras)
        kinds = np.array([self.relations_[k].kind for k in relations])
        if extras is not None or len(self.members_) == 1 or set(kinds) <= {"binary", "real"}:
            return predicted
        mean = np.mean(
            [one._map(one._reconstruct(entries, relations), entries, relations) for one in self._singles()], 0
        )
        kind = kinds[entries.k]
        return np.where(kind == "count", mean, np.where(kind == "ordinal", np.rint(mean), predicted))

    def _probability(self, x: Array, entries: RelationalData, relations: Int32Array) -> Array:
        """Averaged over the ensemble."""
        if len(self.members_) == 1:
            return super()._probability(x, entries, relations)
        total = np.zeros_like(x)
        for one in self._singles():
            total += one._probability(one._reconstruct(entries, relations), entries, relations)
        return total / len(self.members_)

    def _singles(self) -> list[Self]:
        """Each member of the ensemble as a model of its own."""
        return [self._with_factors(member) for member in self.members_]

    def _with_factors(self, factors: Factors) -> Self:
        """The same model with one set of factors in place of its own."""
        losses = [LOSSES[name] for name in self.losses_.values()]
        single = copy(self)
        single.members_ = (factors,)
        single.A_, single.R_, single.b_ = factors.A, factors.R, biases_of(factors, losses)
        rows = zip(self.relations_, losses, factors.extras, strict=True)
        single.cuts_ = {relation.name: extra for relation, loss, extra in rows if has_cuts(loss)}
        return single

    def _factors(self) -> Factors:
        """A_, R_, b_ and cuts_ as factors."""
        names = [relation.name for relation in self.relations_]
        return Factors(
            self.A_, self.R_, tuple(self.cuts_.get(name, self.b_[k : k + 1]) for k, name in enumerate(names))
        )

    def predict_std(self, entries: RelationalData) -> Array:
        """The standard deviation over the ensemble: of the probability where there is one, else of the prediction.

        >>> import mrwtd
        >>> data = mrwtd.load_dataset("florentine")
        >>> bool((mrwtd.MrWTD(rank=2, lam=0.3, ensemble=3).fit(data).predict_std(data) >= 0).all())
        True
        """
        entries, relations = self._align(entries)
        if len(self.members_) < 2:
            return np.full(len(entries), np.nan)
        binary = np.array([self.relations_[k].kind == "binary" for k in relations])[entries.k]
        drawn = []
        for one in self._singles():
            x = one._reconstruct(entries, relations)
            probability = one._probability(x, entries, relations)
            value = np.where(binary, x, one._map(x, entries, relations))
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
        self._check_fitted()
        check_range("top", top, 1, whole=True)
        k = self._position(relation)
        factors = self._stacked()
        known = rank_pairs.known_pairs(None if exclude is None else observed(self._align(exclude)[0]), relation)
        i, j, _ = rank_pairs.best_pairs(factors.A, factors.R[k], self.relations_[k].directed, int(top), known)
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

    def explain(
        self,
        source: str,
        target: str,
        relation: str,
        train: RelationalData | None = None,
        axes: Array | None = None,
    ) -> Explanation:
        """How the factors, and the known entries of both objects, add up to one prediction.

        The training entries are those of `fit`; a model loaded from a file needs them given if they were too many to
        store. `axes`, an orthonormal basis such as that of `model.rotation.principal`, are the factors to speak of in
        place of the columns of A. Of an ensemble every number is the mean over its members, whose factors are turned
        towards A_.

        >>> import mrwtd
        >>> data = mrwtd.load_dataset("florentine")
        >>> why = mrwtd.MrWTD(rank=2, lam=1.0).fit(data).explain("Medici", "Ridolfi", "marriage")
        >>> bool(np.isclose(why.bias + why.factors["contribution"].sum(), why.x))
        True
        """
        self._check_fitted()
        i, j, k = self._object(source), self._object(target), self._position(relation)
        known = self.train_ if train is None else observed(self._align(train)[0])
        if known is not None and known.relations != self.relations_:
            raise DataError(Problem("training entries of other relations", "those of fit, in their order"))
        singles = self._singles()
        bias = float(np.mean([one.b_[k] for one in singles]))
        terms = np.mean(
            [member_terms(one.A_, one.R_[k], self.A_, i, j, axes, self.diagonal) for one in singles], axis=0
        )
        x = bias + float(terms.sum())
        frames, left = [entry_frame(None, i, None)] * 2, [float("nan")] * 2
        if known is not None and self.lam_ > 0 and self._explains_entries():
            both = [self._entry_terms(number, known, i, j, k) for number in range(len(singles))]
            for side, contributions in enumerate(np.mean(one, axis=0) for one in zip(*both, strict=True)):
                frames[side] = entry_frame(known, (i, j)[side], contributions)
                left[side] = x - bias - float(contributions.sum())
        factors = factor_frame(terms)
        return Explanation(source, target, relation, x, bias, factors, frames[0], frames[1], (left[0], left[1]))

    def _explains_entries(self) -> bool:
        """Whether it is known what each member has learned from."""
        return True

    def _entry_terms(self, number: int, known: RelationalData, i: int, j: int, k: int) -> tuple[Array, Array]:
        """What the known entries of i, and those of j, add to their score in relation k by one member."""
        member = self.members_[number]
        A, R = member.A, member.R
        objective = self._member_objective(known, number)
        slopes = entry_slopes(objective, member)
        ends = ((i, R[k] @ A[j]), (j, R[k].T @ A[i]))
        source, target = (entry_contributions(objective, A, R, slopes, end, q) for end, q in ends)
        return source, target

    def _member_objective(self, data: RelationalData, number: int) -> Objective:
        """What member `number` of the ensemble makes small, over all of the data."""
        return self._objective(data, [LOSSES[name] for name in self.losses_.values()], self.lam_)

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
        self._check_fitted()
        known = fold_in.as_entries(entries, self.objects_, self.relations_)
        objective = self._objective(known, [LOSSES[name] for name in self.losses_.values()], self.lam_)
        wider = self._with_factors(fold_in.fold_in(objective, self._factors()))
        if len(self.members_) > 1:
            members = enumerate(self.members_)
            wider.members_ = tuple(fold_in.fold_in(self._member_objective(known, at), member) for at, member in members)
        wider.objects_ = known.objects
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
        if not isinstance(name, str) or name not in self.objects_:
            near = get_close_matches(name, self.objects_, 3) if isinstance(name, str) else []
            hint = f"one of the {len(self.objects_):,} objects" + (
                f", such as {', '.join(map(repr, near))}" if near else ""
            )
            raise DataError(Problem(f"the object {short_repr(name)}", hint))
        return self.objects_.index(name)

    def _position(self, relation: str) -> int:
        names = [own.name for own in self.relations_]
        if not isinstance(relation, str) or relation not in names:
            raise DataError(Problem(f"the relation {short_repr(relation)}", f"one of {', '.join(map(repr, names))}"))
        return names.index(relation)


def has_cuts(loss: Loss) -> bool:
    """Whether a loss learns something else than one bias."""
    return type(loss).extras is not Loss.extras


def biases_of(factors: Factors, losses: list[Loss]) -> Array:
    """Each relation's bias: 0 where the loss has cut points in its place."""
    pairs = zip(losses, factors.extras, strict=True)
    return np.array([0.0 if has_cuts(loss) else extra[0] for loss, extra in pairs])

"""`FactorModel`: predictions, explanations, best pairs and new objects from fitted factors A, R_k and b_k."""

from collections.abc import Iterable
from copy import copy
from difflib import get_close_matches
from typing import Annotated, Self

import numpy as np
import pandas as pd
from scipy.linalg import block_diag

from ..data.arguments import check_range, short_repr
from ..data.possible_pairs import PossiblePairs
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..typing import Array, IndexArray, Int32Array
from . import fold_in, rank_pairs
from .explanation import Explanation, entry_contributions, entry_frame, entry_slopes, factor_frame, member_terms
from .layout import Factors
from .learned import are_members, are_snapshots, cuts, is_training, numbers
from .losses import Loss
from .objective import Objective, reconstruct
from .regularized import RegularizedMethod
from .snapshots import Snapshot

WIDER = 1.2
"""The deviation of a prediction as a multiple of that over the members, which are all regularized alike. It is that of
members with factors of shape 0.7 instead of 1 (benchmarks/coverage)."""


class FactorModel(RegularizedMethod):
    """A model φ_k(A R_k Aᵀ + b_k), or an ensemble of them.

    Learned attributes besides those of every method with a λ:
        A_, R_: the factors of the fit to all entries.
        members_: the factors of each refit of an ensemble, whose predictions are averaged; else those of the fit.
        train_: the training entries, for `explain`.
    """

    @property
    def sides(self) -> int:
        """The number of blocks of columns of A, each with one column per factor, or 0 if A may be rotated."""
        return 0

    A_: Annotated[Array, numbers("n", "r")]
    R_: Annotated[Array, numbers("m", "r", "r")]
    cuts_: Annotated[dict[str, Array], cuts(of_all=True)]
    members_: Annotated[tuple[Factors, ...], are_members]
    train_: Annotated[RelationalData | None, is_training]
    snapshots_: Annotated[tuple[Snapshot, ...], are_snapshots]

    def _objective(self, data: RelationalData, losses: list[Loss], lam: float) -> Objective:
        raise NotImplementedError

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        """The mean over the ensemble."""
        losses = self._all_losses()
        x = [reconstruct(member, biases_of(member, losses), entries, relations) for member in self.members_]
        return x[0] if len(x) == 1 else np.asarray(np.mean(x, axis=0))

    def _candidate_scores(self, k: int, objects: IndexArray, side: str) -> Array:
        """The mean over the ensemble."""
        losses = self._all_losses()
        scores = np.zeros((objects.size, len(self.objects_)))
        for member in self.members_:
            R = member.R[k] if side == "tail" else member.R[k].T
            scores += (member.A[objects] @ R) @ member.A.T + biases_of(member, losses)[k]
        return scores / len(self.members_) if len(self.members_) > 1 else scores

    def _map(self, x: Array, entries: RelationalData, relations: Int32Array) -> Array:
        """φ(x), averaged over the ensemble: rates and real numbers are the members' mean, levels the nearest to it."""
        predicted = super()._map(x, entries, relations)
        kinds = np.array([self.relations_[k].kind for k in relations])
        if len(self.members_) == 1 or set(kinds) <= {"binary", "real"}:
            return predicted
        members = (
            member._map(member._reconstruct(entries, relations), entries, relations) for member in self._singles()
        )
        mean = np.mean([*members], axis=0)
        kind = kinds[entries.k]
        return np.where(kind == "count", mean, np.where(kind == "ordinal", np.rint(mean), predicted))

    def _probability(self, x: Array, entries: RelationalData, relations: Int32Array) -> Array:
        """Averaged over the ensemble."""
        if len(self.members_) == 1:
            return super()._probability(x, entries, relations)
        total = np.zeros_like(x)
        for member in self._singles():
            total += member._probability(member._reconstruct(entries, relations), entries, relations)
        return total / len(self.members_)

    def _singles(self) -> list[Self]:
        """Each member of the ensemble as a model."""
        return [self._with_factors(member) for member in self.members_]

    def _with_factors(self, factors: Factors) -> Self:
        """A copy of the model with other factors."""
        losses = self._all_losses()
        single = copy(self)
        single.members_ = (factors,)
        single.A_, single.R_, single.b_ = factors.A, factors.R, biases_of(factors, losses)
        rows = zip(self.relations_, losses, factors.extras, strict=True)
        single.cuts_ = {relation.name: extra for relation, loss, extra in rows if loss.has_cuts}
        return single

    def _factors(self) -> Factors:
        """A_, R_, b_ and cuts_ as factors."""
        return Factors(self.A_, self.R_, tuple(self._extras(k) for k in range(len(self.relations_))))

    def at_snapshot(self, snapshot: Snapshot) -> Self:
        """A copy of the model with the factors that its fit had at a snapshot.

        >>> import mrwtd
        >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
        >>> model = mrwtd.MrWTD(rank=2, lam=1.0, snapshots=5).fit(train)
        >>> last = model.at_snapshot(model.snapshots_[-1])
        >>> np.array_equal(last.decision_function(test), model.decision_function(test))
        True
        """
        return self._with_factors(sorted_cuts(snapshot.factors, self._all_losses()))

    def predict_std(self, entries: RelationalData) -> Array:
        """The standard deviation over the ensemble: of the probability if there is one, else of the prediction.

        It is multiplied by 1.2, because the regularization, which all members have in common, makes it too small.

        >>> import mrwtd
        >>> data = mrwtd.load_dataset("florentine")
        >>> bool((mrwtd.MrWTD(rank=2, lam=0.3, ensemble=3).fit(data).predict_std(data) >= 0).all())
        True
        """
        entries, relations = self._align(entries)
        if len(self.members_) < 2:
            return np.full(len(entries), np.nan)
        binary = np.array([self.relations_[k].kind == "binary" for k in relations])[entries.k]
        values = []
        for member in self._singles():
            x = member._reconstruct(entries, relations)
            probability = member._probability(x, entries, relations)
            value = np.where(binary, x, member._map(x, entries, relations))
            values.append(np.where(np.isnan(probability), value, probability))
        return np.asarray(WIDER * np.std(values, axis=0))

    def rank_pairs(self, relation: str, top: int = 100, exclude: RelationalData | None = None) -> pd.DataFrame:
        """The best-scoring pairs of different objects in a relation, best first.

        Pairs with an entry in `exclude`, such as the training data, are left out.

        >>> import mrwtd
        >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
        >>> mrwtd.MrWTD(rank=2, lam=1.0).fit(train).rank_pairs("marriage", top=2, exclude=train).columns.tolist()
        ['source', 'target', 'score', 'prediction', 'probability']
        """
        self._check_fitted()
        check_range("top", top, 1, whole=True)
        k = self._position(relation)
        factors = self._stacked()
        known = rank_pairs.known_pairs(None if exclude is None else self._align(exclude)[0].observed(), relation)
        possible = PossiblePairs.of(self.relations_[k], self.object_types_ or len(self.objects_))
        i, j, _ = rank_pairs.best_pairs(factors.A, factors.R[k], possible, int(top), known)
        y = np.full(i.size, float(self.relations_[k].kind == "binary"))
        where = (i, j, np.zeros_like(i))
        pairs = RelationalData(self.objects_, (self.relations_[k],), *where, y, object_types=self.object_types_)
        names = {"source": [self.objects_[i] for i in pairs.i], "target": [self.objects_[j] for j in pairs.j]}
        predictions = dict(zip(("score", "prediction", "probability"), self.predict_all(pairs), strict=True))
        frame = pd.DataFrame(names | predictions)
        return frame.sort_values("score", ascending=False, ignore_index=True, kind="stable")

    def explain(
        self,
        source: str,
        target: str,
        relation: str,
        train: RelationalData | None = None,
        axes: Array | None = None,
    ) -> Explanation:
        """How the factors, and the known entries of both objects, add up to one prediction.

        The training entries are those of `fit`; a model from a file needs them as an argument if they were too many to
        store. `axes` is an orthonormal basis, such as that of `analysis.projection.principal_axes`, whose factors
        replace the columns of A. For an ensemble every number is the mean over its members, whose factors are
        rotated towards A_.

        >>> import mrwtd
        >>> data = mrwtd.load_dataset("florentine")
        >>> why = mrwtd.MrWTD(rank=2, lam=1.0).fit(data).explain("Medici", "Ridolfi", "marriage")
        >>> bool(np.isclose(why.bias + why.factors["contribution"].sum(), why.x))
        True
        """
        self._check_fitted()
        i, j, k = self._object(source), self._object(target), self._position(relation)
        known = self.train_ if train is None else self._align(train)[0].observed()
        if known is not None and known.relations != self.relations_:
            raise DataError(Problem("training entries of other relations", "the relations of fit, in the same order"))
        singles = self._singles()
        bias = float(np.mean([member.b_[k] for member in singles]))
        member_parts = [member_terms(m.A_, m.R_[k], self.A_, i, j, axes, self.sides) for m in singles]
        terms = np.mean(member_parts, axis=0)
        x = bias + float(terms.sum())
        frames, left = [pd.DataFrame(columns=Explanation.entry_columns)] * 2, [float("nan")] * 2
        if known is not None and self.lam_ > 0 and self._explains_entries():
            both = [self._entry_terms(number, known, i, j, k) for number in range(len(singles))]
            for side, contributions in enumerate(np.mean(parts, axis=0) for parts in zip(*both, strict=True)):
                frames[side] = entry_frame(known, (i, j)[side], contributions)
                left[side] = x - bias - float(contributions.sum())
        factors = factor_frame(terms)
        return Explanation(source, target, relation, x, bias, factors, frames[0], frames[1], (left[0], left[1]))

    def _explains_entries(self) -> bool:
        """Whether the weights of the entries in the fit of each member are known."""
        return True

    def _entry_terms(self, number: int, known: RelationalData, i: int, j: int, k: int) -> tuple[Array, Array]:
        """The contributions of the known entries of i, and of j, to their score in relation k by one member."""
        member = self.members_[number]
        A, R = member.A, member.R
        objective = self._member_objective(known, number)
        slopes = entry_slopes(objective, member)
        ends = ((i, R[k] @ A[j]), (j, R[k].T @ A[i]))
        source, target = (entry_contributions(objective, A, R, slopes, end, q) for end, q in ends)
        return source, target

    def _member_objective(self, data: RelationalData, number: int) -> Objective:
        """The objective of member `number` of the ensemble over all of the data."""
        return self._objective(data, self._all_losses(), self.lam_)

    def fold_in(self, entries: RelationalData | pd.DataFrame) -> Self:
        """A model with new objects, whose factors are learned from their entries with everything else fixed.

        `entries` are relationships of the new objects, with known objects or among themselves: a frame with the columns
        source, relation, target and value, or data. The model itself does not change.

        >>> import mrwtd
        >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
        >>> new = pd.DataFrame({"source": ["Bardi"], "relation": ["marriage"], "target": ["Medici"], "value": [1.0]})
        >>> model.fold_in(new).objects_[-1]
        'Bardi'
        """
        self._check_fitted()
        known = fold_in.as_entries(entries, self.objects_, self.relations_, self.object_types_)
        objective = self._objective(known, self._all_losses(), self.lam_)
        extended = self._with_factors(fold_in.fold_in(objective, self._factors()))
        if len(self.members_) > 1:
            extended.members_ = tuple(
                fold_in.fold_in(self._member_objective(known, number), member)
                for number, member in enumerate(self.members_)
            )
        extended.objects_, extended.object_types_ = known.objects, known.object_types
        extended.snapshots_, extended.train_ = (), None
        return extended

    def _stacked(self) -> Factors:
        """Factors whose product is the mean of the members' products: members side by side, R block-diagonal."""
        if len(self.members_) == 1:
            return self.members_[0]
        A = np.hstack([member.A for member in self.members_])
        R = [block_diag(*blocks) / len(self.members_) for blocks in zip(*(m.R for m in self.members_), strict=True)]
        return Factors(A, np.array(R), ())

    def _object(self, name: str) -> int:
        if not isinstance(name, str) or name not in self.objects_:
            near = get_close_matches(name, self.objects_, 3) if isinstance(name, str) else []
            examples = f", such as {', '.join(map(repr, near))}" if near else ""
            expected = f"one of the {len(self.objects_):,} objects{examples}"
            raise DataError(Problem(f"the object {short_repr(name)}", expected))
        return self.objects_.index(name)

    def _position(self, name: str) -> int:
        names = [relation.name for relation in self.relations_]
        if not isinstance(name, str) or name not in names:
            raise DataError(Problem(f"the relation {short_repr(name)}", f"one of {', '.join(map(repr, names))}"))
        return names.index(name)


def sorted_cuts(factors: Factors, losses: Iterable[Loss]) -> Factors:
    """A copy of the factors with cut points in ascending order."""
    factors = factors.copy()
    for loss, extra in zip(losses, factors.extras, strict=True):
        if loss.has_cuts:
            extra.sort()
    return factors


def biases_of(factors: Factors, losses: Iterable[Loss]) -> Array:
    """The bias of each relation, 0 if the loss has cut points instead."""
    pairs = zip(losses, factors.extras, strict=True)
    return np.array([0.0 if loss.has_cuts else extra[0] for loss, extra in pairs])

"""`Predictor`: predictions of a fitted method for any entries of the same objects and relations.

A subclass gives the reconstruction x (`_reconstruct`). Aligning entries with the fit, mapping x to the unit of the
data, probabilities and scores are here.
"""

from collections.abc import Callable
from copy import copy
from typing import Annotated, Self

import numpy as np

from ..data.arguments import short_repr
from ..data.negatives import represented_pairs
from ..data.relational import RelationalData
from ..data.relations import Relation
from ..errors import DataError, Problem
from ..metrics import relation_scores, selection_score
from ..typing import Array, IndexArray, Int32Array
from .learned import are_largest, are_losses, are_rates, are_scales, are_types, one_number, tuple_of
from .losses import LOSSES, Loss
from .scaling import population_probability


class NotFittedError(ValueError, AttributeError):
    """A method was used before `fit`: the same bases as scikit-learn's error of that name."""


class Predictor:
    """The part of a method that predicts."""

    objects_: Annotated[tuple[str, ...], tuple_of(str)]
    relations_: Annotated[tuple[Relation, ...], tuple_of(Relation)]
    object_types_: Annotated[tuple[str, ...] | None, are_types] = None
    rank_: Annotated[int, one_number(1, whole=True)]
    losses_: Annotated[dict[str, str], are_losses]
    scales_: Annotated[Array, are_scales]
    largest_: Annotated[Array | None, are_largest] = None
    sampling_rates_: Annotated[Array | None, are_rates] = None

    def decision_function(self, entries: RelationalData) -> Array:
        """x at each entry: higher is likelier, or larger. Real relations: in standard deviations from the mean."""
        entries, relations = self._align(entries)
        return self._reconstruct(entries, relations)

    def predict(self, entries: RelationalData) -> Array:
        """φ(x) at each entry, in the unit of the data: ±1, a level, a rate or a real number."""
        entries, relations = self._align(entries)
        return self._map(self._reconstruct(entries, relations), entries, relations)

    def predict_proba(self, entries: RelationalData) -> Array:
        """P(y = +1) at each entry if the loss has one, else NaN. It holds for all pairs, sampled or not."""
        entries, relations = self._align(entries)
        return self._probability(self._reconstruct(entries, relations), entries, relations)

    def predict_all(self, entries: RelationalData) -> tuple[Array, Array, Array]:
        """The results of `decision_function`, `predict` and `predict_proba`, for the price of one of them."""
        entries, relations = self._align(entries)
        x = self._reconstruct(entries, relations)
        return x, self._map(x, entries, relations), self._probability(x, entries, relations)

    def predict_std(self, entries: RelationalData) -> Array:
        """The standard deviation of each prediction over an ensemble or posterior; NaN if there is neither."""
        return np.full(len(entries), np.nan)

    def candidate_scores(self, relation: str, objects: IndexArray, side: str = "tail") -> Array:
        """x between some objects, given by position, and all objects: one row for each of them.

        With the side "tail" all objects are the target, with "head" the source.

        >>> import mrwtd
        >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
        >>> model.candidate_scores("marriage", np.array([0, 3])).shape
        (2, 15)
        """
        names = [known.name for known in self.relations_]
        if relation not in names:
            raise DataError(Problem(f"the relation {relation!r}", f"one of {', '.join(map(repr, names))}"))
        return self._candidate_scores(names.index(relation), objects, side)

    def _candidate_scores(self, k: int, objects: IndexArray, side: str) -> Array:
        """`candidate_scores` of relation k, pair by pair. Methods with a product of matrices override it."""
        n = len(self.objects_)
        i, j = np.repeat(objects, n).astype(np.int32), np.tile(np.arange(n, dtype=np.int32), objects.size)
        if side == "head":
            i, j = j, i
        if not self.relations_[k].directed:
            i, j = np.minimum(i, j), np.maximum(i, j)
        types = self.object_types_
        no_pairs = RelationalData(self.objects_, self.relations_[k : k + 1], (), (), (), (), object_types=types)
        pairs = no_pairs._with(i=i, j=j, k=np.zeros_like(i), y=np.ones(i.size))
        return self._reconstruct(pairs, np.array([k], dtype=np.int32)).reshape(objects.size, n)

    def fitted_objects(self) -> tuple[str, ...]:
        """The objects of the fit; a `NotFittedError` before it."""
        self._check_fitted()
        return self.objects_

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        """x at the entries, where relation k of the entries is relation `relations[k]` of the fit."""
        raise NotImplementedError

    def _loss(self, k: int) -> Loss:
        return LOSSES[self.losses_[self.relations_[k].name]]

    def _all_losses(self) -> list[Loss]:
        return [LOSSES[name] for name in self.losses_.values()]

    def _map(self, x: Array, entries: RelationalData, relations: Int32Array) -> Array:
        """φ(x) at the entries."""
        return _by_relation(self._value, x, entries, relations)

    def _value(self, x: Array, k: int) -> Array:
        """φ(x) of entries of relation k."""
        centre, scale = self.scales_[k]
        predicted = self._loss(k).predict(centre + scale * x, self.relations_[k], self._extras(k))
        if self.relations_[k].kind == "count" and self.largest_ is not None:
            # A log link turns a moderate extrapolation of x into a factor: nothing beyond the training values.
            return np.clip(predicted, 0.0, self.largest_[k])
        if self._sampling_rate(k) == 1:
            return predicted
        probability = self._probability_at(x, k)
        return np.where(np.isnan(probability), predicted, np.where(probability >= 0.5, 1.0, -1.0))

    def _probability(self, x: Array, entries: RelationalData, relations: Int32Array) -> Array:
        return _by_relation(self._probability_at, x, entries, relations)

    def _probability_at(self, x: Array, k: int) -> Array:
        """P(y = +1) among all pairs, of pairs with the scores x in relation k of the fit."""
        probability = self._loss(k).probability(x)
        rate = self._sampling_rate(k)
        return probability if rate == 1 else population_probability(probability, rate)

    def _sampling_rate(self, k: int) -> float:
        """The rate at which negatives of relation k were sampled; 1 if none was."""
        return 1.0 if self.sampling_rates_ is None else float(self.sampling_rates_[k])

    def probability_of(self, relation: str, x: Array) -> Array:
        """P(y = +1) of pairs of a relation with the scores x, as from `decision_function`; NaN if the loss has none.

        >>> import mrwtd
        >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
        >>> model.probability_of("marriage", np.array([0.0]))
        array([0.5])
        """
        return self._probability_at(x, [known.name for known in self.relations_].index(relation))

    def _extras(self, k: int) -> Array:
        """The bias or cut points of relation k."""
        return np.zeros(1)

    def _scored_values(self, entries: RelationalData, x: Array | None = None) -> Array:
        """The values by which entries of all relations are scored: x of binary relations, φ(x) of others."""
        relations = np.arange(entries.n_relations, dtype=np.int32)
        x = self._reconstruct(entries, relations) if x is None else x
        binary = np.array([relation.kind == "binary" for relation in entries.relations])
        return x if binary.all() else np.where(binary[entries.k], x, self._map(x, entries, relations))

    def _score(self, entries: RelationalData, x: Array | None = None) -> float:
        """The score of entries of all relations: see `metrics.selection_score`."""
        kinds, values = [relation.kind for relation in entries.relations], self._scored_values(entries, x)
        scores = relation_scores(kinds, entries.y, values, entries.bounds, represented_pairs(entries))
        return selection_score(zip(kinds, scores, strict=True))

    def _for_relation(self, k: int) -> Self:
        """A copy with relation k only."""
        single = copy(self)
        single.relations_, single.scales_ = self.relations_[k : k + 1], self.scales_[k : k + 1]
        single.largest_ = None if self.largest_ is None else self.largest_[k : k + 1]
        single.sampling_rates_ = None if self.sampling_rates_ is None else self.sampling_rates_[k : k + 1]
        return single

    def _check_fitted(self) -> None:
        if not hasattr(self, "trace_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit(train) first")

    def _align(self, entries: RelationalData) -> tuple[RelationalData, Int32Array]:
        """The entries with the objects in the order of the fit, and the fit's position of each of their relations."""
        self._check_fitted()
        if not isinstance(entries, RelationalData):
            raise DataError(
                Problem(f"{short_repr(entries)} as entries", "RelationalData, such as a part of data.split")
            )
        positions = {relation.name: k for k, relation in enumerate(self.relations_)}
        for relation in entries.relations:
            if relation.name not in positions:
                expected = f"one of {', '.join(map(repr, positions))}"
                raise DataError(Problem(f"the relation {relation.name!r}", expected))
        relations = np.array([positions[relation.name] for relation in entries.relations], dtype=np.int32)
        if entries.objects == self.objects_:
            return entries, relations
        return self._renumber(entries), relations

    def _renumber(self, entries: RelationalData) -> RelationalData:
        positions = {name: position for position, name in enumerate(self.objects_)}
        used = np.unique(np.concatenate([entries.i, entries.j]))
        unknown = [entries.objects[position] for position in used if entries.objects[position] not in positions]
        if unknown:
            expected = "an object of the training data; for new objects, see fold_in"
            raise DataError(Problem(f"the object {unknown[0]!r}", expected))
        # Another order could swap i and j of undirected pairs and reorder the entries, so scores would be misplaced.
        position = np.array([positions.get(name, -1) for name in entries.objects])
        if (np.diff(position[used]) < 0).any():
            raise DataError(Problem("objects in another order than in fit", "the same order of objects"))
        i, j = position[entries.i], position[entries.j]
        return RelationalData(
            self.objects_,
            entries.relations,
            i,
            j,
            entries.k,
            entries.y,
            entries.w,
            represents=entries.represents,
            object_types=self.object_types_,
        )


def _by_relation(
    function: Callable[[Array, int], Array], x: Array, entries: RelationalData, relations: Int32Array
) -> Array:
    """A function of x and of the relation of the fit, relation by relation."""
    values = np.empty_like(x)
    for position, k in enumerate(relations.tolist()):
        part = entries.slice(position)
        values[part] = function(x[part], k)
    return values

"""MrWTD-E: a stacked ensemble, the weighted mean of ensembles of MrWTD with several losses, samplers and baselines.

Which loss is best depends on the data, the training fraction and the kind, and means of several are often better than
each of them (Wolpert 1992, Breiman 1996). All components are fitted to validation splits of the search for λ, and the
weights are chosen by what they predict for the held-out entries. Components of weight 0 are not fitted again.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from ..bayesian.mrwtd_b import MrWTDB
from ..data.arguments import check_range
from ..data.relational import RelationalData
from ..model.cancellation import Cancelled
from ..model.cost import Cost, Size
from ..model.diagnostics import Diagnostic, without_warnings
from ..model.learned import Rule, table
from ..model.method import METHODS, Method, Style
from ..model.mrwtd import MrWTD
from ..model.parameters import FITTING, MRWTD, Parameter, named
from ..model.progress import Callback, Iteration, Stage, trace_frame
from ..model.scaling import standard_scales
from ..model.validation_splits import ValidationSplit, validation_splits
from ..typing import Array, IndexArray, Int32Array
from .components import (
    LOSSES_OF,
    OTHERS,
    SAMPLERS,
    Candidate,
    Progress,
    candidates,
    evaluate_candidate,
    n_predicted,
    samplers_for,
)
from .constant import Constant
from .held_out import HeldOut, weight_table

PASSED_ON = ("failed", "wrong_slope", "not_converged", "refits_not_converged", "rank_above_objects")
"""The diagnostics of components that are also those of the whole."""


def _are_components(value: Any, method: Method) -> bool:
    return (
        isinstance(value, dict)
        and len(value) > 0
        and all(isinstance(name, str) and type(part) in (MrWTD, *SAMPLERS, *OTHERS) for name, part in value.items())
        and all(
            (part.objects_, part.relations_, part.object_types_)
            == (method.objects_, method.relations_, method.object_types_)
            for part in value.values()
        )
    )


def _are_texts(column: pd.Series) -> bool:
    return all(isinstance(text, str) for text in column)


def _are_weights(column: pd.Series) -> bool:
    return column.dtype.kind == "f" and bool(((column >= 0) & (column <= 1)).all())


def _are_finite(column: pd.Series) -> bool:
    return column.dtype.kind == "f" and bool(np.isfinite(column).all())


_is_table: Rule = table(
    {"kind": _are_texts, "component": _are_texts, "weight": _are_weights, "offset": _are_finite, "slope": _are_finite},
    {},
)


def _are_used(value: Any, method: Method) -> bool:
    components = getattr(method, "components_", {})
    return (
        _is_table(value, method)
        and all((value["kind"] == relation.kind).any() for relation in method.relations_)
        and all(
            components.keys() <= set(rows["component"]) and rows["component"].is_unique
            for _, rows in value.groupby("kind")
        )
    )


COARSE = 0.25
"""The time of fits to validation splits, with their coarser tolerance, relative to that of others."""


@METHODS.register
class MrWTDE(Method):
    """The mean of several methods, with weights for each kind of relation chosen on held-out training entries.

    The components are ensembles of MrWTD, one for each loss that suits the data, MrWTD-B, BPTF and Degree; in small
    data also BTF; and for relations that are not binary their mean or median. Scores of binary relations are the
    log-odds of a calibrated probability; other kinds are averaged in the unit of the data.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = MrWTDE(rank=2, lam=1.0, ensemble=2, sweeps=20, burn_in=5).fit(train)
    >>> model.weights_["component"].tolist()
    ['MrWTD-L', 'MrWTD-H', 'MrWTD-Q', 'MrWTD-B', 'BPTF', 'BTF', 'Degree']
    >>> round(float(model.weights_["weight"].sum()), 6)
    1.0
    >>> set(model.components_) == set(model.weights_.query("weight > 0")["component"])
    True

    Args:
        rank: the number of latent factors of each component.
        lam: the λ of the ensembles of MrWTD, or "auto" for a search with each loss.
        ensemble: the number of refits in each ensemble.
        max_iter: the maximum number of iterations per fit; ten times as many if λ is searched.
        sweeps, burn_in: those of MrWTD-B, BPTF and BTF.
        seed: the seed of every random choice.
        n_jobs: the number of processes that fit the members of an ensemble; the results do not depend on it.

    Learned attributes besides those of every method:
        components_: the fitted methods, by name; only those with a weight.
        weights_: a frame with the weight of each component for each kind, its held-out score, and the offset and the
            slope that turn its scores into log-odds (0 and 1 for other kinds than binary).
        trace_: one row per component, from the largest weight on; the objective is the held-out loss of their mean.
    """

    name, family, order, style = "MrWTD-E", "ensemble", 4, Style("#CB3A3A", "solid", "star-diamond")

    components_: Annotated[dict[str, Method], _are_components]
    weights_: Annotated[pd.DataFrame, _are_used]

    parameters: ClassVar[Mapping[str, Parameter]] = named(
        replace(MRWTD["ensemble"], offered=False), FITTING["max_iter"], MrWTDB.all_parameters()["sweeps"],
        MrWTDB.all_parameters()["burn_in"], MRWTD["n_jobs"],
    )  # fmt: skip

    def __init__(
        self,
        rank: int | None = None,
        lam: float | str = "auto",
        ensemble: int = 10,
        max_iter: int = 300,
        sweeps: int = 200,
        burn_in: int = 50,
        seed: int = 0,
        n_jobs: int = 1,
    ):
        super().__init__(rank, lam, seed)
        self.ensemble = ensemble
        self.max_iter = max_iter
        self.sweeps = sweeps
        self.burn_in = burn_in
        self.n_jobs = n_jobs

    def cost(self, size: Size) -> Cost:
        """The time and memory of all fits of all components."""
        splits = n_predicted(round(size.entries))
        rank = self.rank_for(size.n_objects)
        searching = MrWTD(rank, lam=self.lam).cost(size)
        final = MrWTD(rank, lam=1.0, ensemble=self.ensemble).cost(size)
        used = samplers_for(round(size.entries))
        samplers = [sampler(rank, sweeps=self.sweeps, burn_in=self.burn_in).cost(size) for sampler in used]
        members = COARSE * splits * final.seconds
        seconds = len(LOSSES_OF) * (searching.seconds + members + final.seconds)
        seconds += (splits + 1) * sum(sampler.seconds for sampler in samplers)
        stored = len(LOSSES_OF) * final.memory + sum(sampler.memory for sampler in samplers)
        return Cost(seconds, stored + final.memory)

    def _check(self, train: RelationalData) -> None:
        super()._check(train)
        check_range("burn_in", self.burn_in, 0, self.sweeps - 1, whole=True)

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        self.losses_ = {r.name: "logistic" if r.kind == "binary" else "quadratic" for r in train.relations}
        self.scales_ = standard_scales(train, self._all_losses())
        splits, methods = validation_splits(train, self.seed), candidates(train, self)
        predicted = [split for split in splits if split.is_usable][: n_predicted(len(train))]
        searches = sum(isinstance(method, MrWTD) and self.lam == "auto" for method in methods.values())
        progress = Progress(callback, searches + len(methods) * (len(predicted) + 1))
        with without_warnings():
            evaluated = self._evaluate(methods, train, splits, predicted, progress)
            complete = [candidate for candidate in evaluated if candidate.predictions is not None]
            kinds = list(dict.fromkeys(relation.kind for relation in train.relations))
            scored = kinds if complete and predicted else []
            held_out = [HeldOut.of(kind, complete, predicted, self.scales_, self.seed) for kind in scored]
            names = [candidate.name for candidate in complete or evaluated[:1]]
            self.components_, self.weights_ = {}, weight_table(names, kinds, held_out)
            self._fit_components(complete, train, progress)
            if not self.components_:  # the user has stopped
                first = (complete or evaluated)[0]
                if first.fitted is None:
                    raise Cancelled
                held_out, names = [], [first.name]
                self.components_ = {first.name: _stored(first.fitted)}
                self.weights_ = weight_table([first.name], kinds, [])
        self._finish(held_out, names, progress, callback)

    def _evaluate(
        self,
        methods: Mapping[str, Method],
        train: RelationalData,
        splits: Sequence[ValidationSplit],
        predicted: Sequence[ValidationSplit],
        progress: Progress,
    ) -> list[Candidate]:
        """The candidates, or those before the user stopped: at least one, with a fit."""
        evaluated: list[Candidate] = []
        for name, method in methods.items():
            try:
                evaluated.append(evaluate_candidate(name, method, train, splits, predicted, progress))
            except Cancelled:
                if not evaluated:
                    raise
                progress.stopped = True
            if progress.stopped:
                break
        return evaluated

    def _fit_components(self, candidates: Sequence[Candidate], train: RelationalData, progress: Progress) -> None:
        """Fit the components that have a weight to all training entries, the largest weight first.

        The constant comes last: if the user stops before, the others have all the weight.
        """
        sizes = self.weights_.groupby("component")["weight"].sum()
        used = [candidate for candidate in candidates if sizes[candidate.name]]
        for candidate in sorted(used, key=lambda each: (each.name == Constant.name, -sizes[each.name])):
            if progress.stopped:
                break
            progress.begin(candidate.name)
            try:
                fitted = candidate.method.fit(train, progress)
            except Cancelled:
                progress.stopped = True
                break
            self.components_[candidate.name] = _stored(fitted)

    def _finish(
        self, held_out: Sequence[HeldOut], names: Sequence[str], progress: Progress, callback: Callback | None
    ) -> None:
        """Set the trace and the diagnostics."""
        trace, fitted = list[Iteration](), list(self.components_)
        for number in range(1, len(fitted) + 1):
            first = copy(self)
            first.components_ = {name: self.components_[name] for name in fitted[:number]}
            loss = sum(part.loss(first._weights_of(part.kind, names)[:, 0]) for part in held_out)
            score = None if self._held_out is None else self._watch(first._score)(self._held_out)
            seconds = time.perf_counter() - progress.start - self.watched_
            step = Iteration(number, loss, np.nan, seconds, score, Stage("fit"))
            trace.append(step)
            if not progress.stopped and callback is not None and callback(step):
                break  # all components are there already
        self.trace_ = trace_frame(trace)
        parts = self.components_.values()
        self.converged_ = not progress.stopped and all(part.converged_ for part in parts)
        facts = [fact for part in parts for fact in part.diagnostics_ if fact.code in PASSED_ON]
        collapsed = [fact for part in parts for fact in part.diagnostics_ if fact.code == "collapsed"]
        if len(collapsed) == len(parts):
            facts.append(collapsed[0])
        if progress.stopped:
            facts.append(Diagnostic("stopped", values={"during": "fit" if held_out else "search"}))
        scored = [part.kind for part in held_out if not np.isnan(part.blend.scores).all()]
        if scored:
            used = (self.weights_["weight"] > 0) & self.weights_["kind"].isin(scored)
            rows = self.weights_.loc[used, ["kind", "component", "weight"]]
            facts.append(Diagnostic("stacked", values={"weights": rows.to_numpy().tolist()}))
        self.diagnostics_ = tuple({fact.message(): fact for fact in facts}.values())

    def _weights_of(self, kind: str, names: Sequence[str] | None = None) -> Array:
        """Weight, offset and slope of components, by default of the fitted ones, whose weights sum to 1."""
        names = list(self.components_) if names is None else names
        rows = self.weights_[self.weights_["kind"] == kind].set_index("component").loc[list(names)]
        table = rows[["weight", "offset", "slope"]].to_numpy(dtype=np.float64, copy=True)
        fitted = np.array([name in self.components_ for name in names])
        weights = np.where(fitted, table[:, 0], 0.0)
        # Only if the user stopped before a component with a weight was fitted are all of them 0.
        table[:, 0] = weights / weights.sum() if weights.any() else fitted / fitted.sum()
        return table

    def _parts(self, entries: RelationalData, relations: Int32Array) -> Iterator[tuple[Method, Array, Array, Array]]:
        """Of each component its x, its weight at each entry, and what is averaged: log-odds, or φ(x) of other kinds."""
        kinds = [self.relations_[k].kind for k in relations]
        rows = {kind: self._weights_of(kind) for kind in set(kinds)}
        binary = np.array([kind == "binary" for kind in kinds], dtype=bool)[entries.k]
        for number, component in enumerate(self.components_.values()):
            weight, offset, slope = np.array([rows[kind][number] for kind in kinds]).reshape(-1, 3)[entries.k].T
            x = component._reconstruct(entries, relations)
            yield component, x, weight, np.where(binary, offset + slope * x, component._map(x, entries, relations))

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        """The weighted mean of the components."""
        mean = np.zeros(len(entries))
        for _, _, weight, value in self._parts(entries, relations):
            mean += weight * value
        centre, scale = self.scales_[relations][entries.k].T
        return np.asarray((mean - centre) / scale)

    def _candidate_scores(self, k: int, objects: IndexArray, side: str) -> Array:
        if self.relations_[k].kind != "binary":
            return super()._candidate_scores(k, objects, side)
        scores = np.zeros((objects.size, len(self.objects_)))
        rows = self._weights_of("binary")
        for (weight, offset, slope), component in zip(rows, self.components_.values(), strict=True):
            scores += weight * (offset + slope * component._candidate_scores(k, objects, side))
        return scores

    def predict_std(self, entries: RelationalData) -> Array:
        """The standard deviation over the components and within each: of the probability, or of the prediction.

        NaN where no component with a weight has one. Components without one count as the mean of the others.
        """
        entries, relations = self._align(entries)
        binary = np.array([self.relations_[k].kind == "binary" for k in relations], dtype=bool)[entries.k]
        slopes = [self._weights_of(self.relations_[k].kind)[:, 2] for k in relations]
        weights, values, variances = list[Array](), list[Array](), list[Array]()
        for number, (component, x, weight, value) in enumerate(self._parts(entries, relations)):
            probability = self._probability(value, entries, relations)
            std = component.predict_std(entries)
            # A loss without a probability has the deviation of x: its log-odds deviate by the slope times that.
            slope = np.array([slope[number] for slope in slopes] or [1.0])[entries.k]
            of_x = np.isnan(component._probability(x, entries, relations)) & binary
            std = np.where(of_x, slope * std * probability * (1 - probability), std)
            weights.append(weight)
            values.append(np.where(binary, probability, value))
            variances.append(std**2)
        total, known = np.array(weights), ~np.isnan(variances)
        mean = (total * values).sum(axis=0)
        between = (total * (np.array(values) - mean) ** 2).sum(axis=0)
        weight = (total * known).sum(axis=0)
        within = (total * np.where(known, variances, 0.0)).sum(axis=0)
        within = np.divide(within, weight, out=np.full_like(mean, np.nan), where=weight > 0)
        return np.asarray(np.sqrt(between + within))


def _stored(method: Method | None) -> Method:
    """A component as it is stored: the training entries are the same for all of them."""
    assert method is not None  # a candidate that was not fitted is not chosen
    if isinstance(method, MrWTD):
        method.train_ = None
    return method

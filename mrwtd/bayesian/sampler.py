"""`Sampler`: what the methods share that draw from a posterior instead of minimising.

A subclass makes a `Chain`, which moves by `sweep`. After a burn-in, states are kept at even distances, and every
prediction is a mean over them: of the probability where the likelihood is logistic, of x elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import ClassVar, Protocol

import numpy as np

from ..data.arguments import check_range
from ..data.relational import RelationalData
from ..model.cost import NANOSECONDS, Cost, Size, factors_memory
from ..model.diagnostics import Diagnostic
from ..model.losses import LOSSES
from ..model.method import Method
from ..model.parameters import Number, Parameter, named
from ..model.progress import Callback, Iteration, Stage, trace_frame
from ..model.threads import ShouldStop
from ..typing import Array, BoolArray, Int32Array

MOST_BYTES = 1 << 29
"""States are kept up to half a gigabyte."""


DRIFT_SWEEPS = 20
"""Two halves of at least so many sweeps are compared to see whether a chain still drifts."""


ASK_AFTER = 0.3
"""Seconds of a sweep after which the callback is asked whether to go on: a sweep of large systems takes many."""


class Chain(Protocol):
    """A state of all unknowns that moves by sweeps."""

    def sweep(self, ended: ShouldStop | None = None, /) -> bool:
        """Draw every unknown once, given the others. False where `ended` said so before all were drawn.

        The state is then one of the posterior as well: each draw on its own leaves the posterior as it is.
        """

    def minus_log_likelihood(self) -> float:
        """Of the training entries, at the state."""

    def state(self) -> tuple[Array, ...]:
        """What predictions need, in arrays of its own."""

    def diagnostics(self, sweeps: int) -> list[Diagnostic]:
        """What to report after this number of sweeps."""


class Sampler(Method):
    """What BPTF, BTF and MrWTD-B share.

    Learned attributes, besides those of every method:
        samples_: the states kept, each a tuple of arrays.
        trace_: a row a sweep; the objective is minus the log-likelihood of the training entries.
        converged_: whether all sweeps were made.
    """

    family = "Bayesian"
    parameters: ClassVar[Mapping[str, Parameter]] = named(
        Number("sweeps", low=1, whole=True), Number("burn_in", whole=True), Number("samples", low=1, whole=True)
    )

    samples_: tuple[tuple[Array, ...], ...]

    def __init__(
        self,
        rank: int | None = None,
        lam: float | str = "auto",
        sweeps: int = 200,
        burn_in: int = 50,
        samples: int = 100,
        seed: int = 0,
    ):
        self.rank = rank
        self.lam = lam
        self.sweeps = sweeps
        self.burn_in = burn_in
        self.samples = samples
        self.seed = seed

    def cost(self, size: Size) -> Cost:
        """What a chain takes."""
        rank = self.rank_for(size.n_objects)
        rows = (6 * NANOSECONDS * size.entries * rank + 40 * size.n_objects * rank**2) * 1e-9
        seconds = self.sweeps * (rows + 2e-3 + self._relations_seconds(size))
        return Cost(seconds, factors_memory(size, rank, 70 + min(self.sweeps, self.samples) / 2))

    def _relations_seconds(self, size: Size) -> float:
        """The time of drawing the relations once, where that takes long."""
        return 0.0

    def _check(self, train: RelationalData) -> None:
        super()._check(train)
        check_range("burn_in", self.burn_in, 0, self.sweeps - 1, whole=True)

    def _chain(self, train: RelationalData, callback: Callback | None) -> tuple[Chain, bool]:
        """The chain at its start, and whether the callback stopped it there."""
        raise NotImplementedError

    def _draw(self, state: tuple[Array, ...], entries: RelationalData, relations: Int32Array) -> Array:
        """x at the entries, by one state."""
        raise NotImplementedError

    def _draws(self, entries: RelationalData, relations: Int32Array) -> Iterator[Array]:
        """x at the entries, by each state that was kept."""
        return (self._draw(state, entries, relations) for state in self.samples_)

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        chain, stopped = self._chain(train, callback)
        bytes_each = sum(part.nbytes for part in chain.state())
        most = max(1, min(self.samples, MOST_BYTES // bytes_each))
        step = -(-(self.sweeps - self.burn_in) // most)
        began, trace, kept = time.perf_counter(), list[Iteration](), list[tuple[Array, ...]]()
        told, score = began, None
        watch = None if self._held_out is None else self._watch(Watch(self, self._held_out).after)

        def ended() -> bool:
            """Whether the user stops a sweep in its middle; asked now and then, as most sweeps take no time."""
            nonlocal stopped, told
            now = time.perf_counter()
            if callback is not None and now - told > ASK_AFTER:
                told, before = now, trace[-1].objective if trace else np.nan
                stopped = bool(callback(Iteration(len(trace) + 1, before, np.nan, now - began, stage=Stage("sweep"))))
            return stopped

        while len(trace) < self.sweeps and not stopped:
            if not chain.sweep(ended):
                break
            made = len(trace) + 1
            keeps = made > self.burn_in and (made - self.burn_in) % step == 0
            seconds = time.perf_counter() - began - self.watched_
            if keeps:
                kept.append(chain.state())
            if watch is not None and (keeps or not kept):
                score = watch(kept[-1] if keeps else chain.state(), keeps)
            trace.append(Iteration(made, chain.minus_log_likelihood(), np.nan, seconds, score, stage=Stage("sampling")))
            stopped, told = callback is not None and bool(callback(trace[-1])), time.perf_counter()
        self.samples_ = tuple(kept) or (chain.state(),)
        self.trace_ = trace_frame(trace)
        self.converged_ = len(trace) == self.sweeps
        self.diagnostics_ = (*self.diagnostics_, *_checked(self, train.n_objects), *chain.diagnostics(len(trace)))

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        """The mean over the kept states: of x, or of the probability, given as its log-odds."""
        mean = Mean(self._logistic(relations)[entries.k])
        for x in self._draws(entries, relations):
            mean.add(x)
        return mean.value()

    def predict_std(self, entries: RelationalData) -> Array:
        """The posterior standard deviation: of the probability where there is one, else of the prediction.

        Of a binary relation without a probability it is that of x. The noise of a single observation is not in it.
        """
        entries, relations = self._align(entries)
        if len(self.samples_) < 2:
            return np.full(len(entries), np.nan)
        logistic = self._logistic(relations)[entries.k]
        binary = np.array([self.relations_[k].kind == "binary" for k in relations])[entries.k]
        count, mean, squares = 0, np.zeros(len(entries)), np.zeros(len(entries))
        for x in self._draws(entries, relations):
            value = np.where(binary, x, self._map(x, entries, relations))
            value[logistic] = LOSSES["logistic"].probability(x[logistic])
            count += 1
            away = value - mean
            mean += away / count
            squares += away * (value - mean)
        return np.asarray(np.sqrt(squares / count))

    def _logistic(self, relations: Int32Array) -> BoolArray:
        return np.array([self.losses_[self.relations_[k].name] == "logistic" for k in relations], dtype=bool)


class Mean:
    """The mean of draws of x: where the likelihood is logistic, of the probability, given as its log-odds.

    >>> mean = Mean(np.array([False, True]))
    >>> mean.add(np.array([1.0, 2.0]))
    >>> mean.add(np.array([2.0, -2.0]))
    >>> mean.value()
    array([1.5, 0. ])
    """

    def __init__(self, logistic: BoolArray):
        self._logistic, self._count, self._total = logistic, 0, np.zeros(logistic.size)
        self._yes, self._no = (np.full(logistic.sum(), -np.inf) for _ in range(2))

    def add(self, x: Array) -> None:
        """One more draw."""
        self._count += 1
        self._total += x
        # log P(+1) = −log(1 + exp(−x)), added up as logarithms: log-odds of 50 must not become infinite.
        np.logaddexp(self._yes, -np.logaddexp(0, -x[self._logistic]), out=self._yes)
        np.logaddexp(self._no, -np.logaddexp(0, x[self._logistic]), out=self._no)

    def value(self) -> Array:
        """The mean of all draws so far."""
        mean: Array = self._total / self._count
        mean[self._logistic] = self._yes - self._no
        return mean


class Watch:
    """The score of held-out entries as a chain moves: of the states kept so far, or of one alone while none is."""

    def __init__(self, model: Sampler, held: RelationalData):
        self._model, self._held = model, held
        self._relations = np.arange(held.n_relations, dtype=np.int32)
        self._logistic = model._logistic(self._relations)[held.k]
        self._kept = Mean(self._logistic)

    def after(self, state: tuple[Array, ...], keeps: bool) -> float:
        """The score after one more state, which is kept or not."""
        mean = self._kept if keeps else Mean(self._logistic)
        mean.add(self._model._draw(state, self._held, self._relations))
        return self._model._score(self._held, mean.value())


def _checked(model: Sampler, n_objects: int) -> list[Diagnostic]:
    """What to report about a chain."""
    made, facts = len(model.trace_), []
    sizes = {"rank": model.rank_, "n_objects": n_objects}
    if made < model.sweeps:
        values = {"sweeps": made, "of": model.sweeps, "kept": made > model.burn_in}
        facts.append(Diagnostic("sampling_stopped", values=values))
    if model.rank_ > n_objects:
        facts.append(Diagnostic("rank_above_objects", values=sizes))
    after = model.trace_["objective"].to_numpy()[model.burn_in :]
    if after.size >= 2 * DRIFT_SWEEPS:
        early, late = np.array_split(after, 2)
        if abs(early.mean() - late.mean()) > 2 * max(early.std(), late.std()):
            facts.append(Diagnostic("chain_drifts", values=sizes))
    return facts

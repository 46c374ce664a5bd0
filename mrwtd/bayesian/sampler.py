"""`Sampler`: the base class of methods that draw from a posterior instead of minimizing.

A subclass makes a `Chain`, whose `sweep` draws the next state. After a burn-in, evenly spaced states are stored, and
every prediction is a mean over them: of the probability if the likelihood is logistic, else of x.
"""

import time
from collections.abc import Callable, Mapping
from typing import ClassVar, Protocol

import numpy as np

from ..data.arguments import check_range
from ..data.relational import RelationalData
from ..model.cost import NANOSECONDS, Cost, Size, factors_memory
from ..model.diagnostics import Diagnostic
from ..model.method import Method
from ..model.parameters import Number, Parameter, named
from ..model.progress import Callback, Iteration, Stage, trace_frame
from ..model.threads import ShouldStop
from ..typing import Array, BoolArray, Int32Array

MAX_BYTES = 1 << 29
"""The stored states take at most half a gigabyte."""

DRIFT_SWEEPS = 20
"""Two halves of at least this many sweeps are compared to detect a chain that still drifts."""

CALLBACK_SECONDS = 0.3
"""In a longer sweep, as of large systems, the callback is called at this interval, so that it can stop."""


class Chain(Protocol):
    """A state of all unknowns that changes by sweeps."""

    def sweep(self, should_stop: ShouldStop | None = None, /) -> bool:
        """Draw every unknown once, given the others. False if `should_stop` ended it before.

        The state is also from the posterior then: each single draw leaves the posterior unchanged.
        """

    def minus_log_likelihood(self) -> float:
        """Minus the log-likelihood of the training entries at the state."""

    def state(self) -> tuple[Array, ...]:
        """Copies of the arrays that predictions need."""

    def diagnostics(self, sweeps: int) -> list[Diagnostic]:
        """The diagnostics after this number of sweeps."""
        return []


class Sampler(Method):
    """The base class of BPTF, BTF and MrWTD-B.

    Learned attributes besides those of every method:
        samples_: the stored states, each a tuple of arrays.
        trace_: one row per sweep; the objective is minus the log-likelihood of the training entries.
        converged_: whether all sweeps were run.
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
        super().__init__(rank, lam, seed)
        self.sweeps = sweeps
        self.burn_in = burn_in
        self.samples = samples

    def cost(self, size: Size) -> Cost:
        """The time and memory of a chain."""
        rank = self.rank_for(size.n_objects)
        rows = (6 * NANOSECONDS * size.entries * rank + 40 * size.n_objects * rank**2) * 1e-9
        seconds = self.sweeps * (rows + 2e-3 + self._relations_seconds(size))
        return Cost(seconds, factors_memory(size, rank, 70 + min(self.sweeps, self.samples) / 2))

    def _relations_seconds(self, size: Size) -> float:
        """The time of drawing the relations once, if that is long."""
        return 0.0

    def _check(self, train: RelationalData) -> None:
        super()._check(train)
        check_range("burn_in", self.burn_in, 0, self.sweeps - 1, whole=True)

    def _chain(self, train: RelationalData, callback: Callback | None) -> tuple[Chain, bool]:
        """The chain at its start, and whether the callback stopped there."""
        raise NotImplementedError

    def _draw(self, state: tuple[Array, ...], entries: RelationalData, relations: Int32Array) -> Array:
        """x at the entries in one state."""
        raise NotImplementedError

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        chain, stopped = self._chain(train, callback)
        bytes_each = sum(part.nbytes for part in chain.state())
        n_states = max(1, min(self.samples, MAX_BYTES // bytes_each))
        step = -(-(self.sweeps - self.burn_in) // n_states)
        start, trace, states = time.perf_counter(), list[Iteration](), list[tuple[Array, ...]]()
        last_call, score = start, None
        held_score = None if self._held_out is None else self._watch(self._scorer(self._held_out))

        def should_stop() -> bool:
            """Whether the user stops in the middle of a sweep."""
            nonlocal stopped, last_call
            now = time.perf_counter()
            if callback is not None and now - last_call > CALLBACK_SECONDS:
                last_call, objective = now, trace[-1].objective if trace else np.nan
                stopped = bool(
                    callback(Iteration(len(trace) + 1, objective, np.nan, now - start, None, Stage("sweep")))
                )
            return stopped

        while len(trace) < self.sweeps and not stopped:
            if not chain.sweep(should_stop):
                break
            number = len(trace) + 1
            stores = number > self.burn_in and (number - self.burn_in) % step == 0
            seconds = time.perf_counter() - start - self.watched_
            if stores:
                states.append(chain.state())
            if held_score is not None and (stores or not states):
                score = held_score(states[-1] if stores else chain.state(), stores)
            objective = chain.minus_log_likelihood()
            trace.append(Iteration(number, objective, np.nan, seconds, score, Stage("sampling")))
            stopped, last_call = callback is not None and bool(callback(trace[-1])), time.perf_counter()
        self.samples_ = tuple(states) or (chain.state(),)
        self.trace_ = trace_frame(trace)
        self.converged_ = len(trace) == self.sweeps
        self.diagnostics_ = (*self.diagnostics_, *_check_chain(self, train.n_objects), *chain.diagnostics(len(trace)))

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        """The mean over the stored states: of x, or of the probability, as its log-odds."""
        mean = Mean(self._logistic(relations)[entries.k])
        for state in self.samples_:
            mean.add(self._draw(state, entries, relations))
        return mean.value()

    def predict_std(self, entries: RelationalData) -> Array:
        """The posterior standard deviation: of the probability if there is one, else of the prediction.

        For a binary relation without a probability it is that of x. The noise of a single observation is not included.
        """
        entries, relations = self._align(entries)
        if len(self.samples_) < 2:
            return np.full(len(entries), np.nan)
        logistic = self._logistic(relations)[entries.k]
        binary = np.array([self.relations_[k].kind == "binary" for k in relations])[entries.k]
        mean, squares = np.zeros(len(entries)), np.zeros(len(entries))
        for count, state in enumerate(self.samples_, 1):
            x = self._draw(state, entries, relations)
            value = np.where(binary, x, self._map(x, entries, relations))
            value[logistic] = self._probability(x, entries, relations)[logistic]
            deviation = value - mean
            mean += deviation / count
            squares += deviation * (value - mean)
        return np.asarray(np.sqrt(squares / len(self.samples_)))

    def _scorer(self, held: RelationalData) -> Callable[[tuple[Array, ...], bool], float]:
        """The score of held-out entries by state: of the mean of the stored ones, or of one that is not stored."""
        relations = np.arange(held.n_relations, dtype=np.int32)
        logistic = self._logistic(relations)[held.k]
        stored = Mean(logistic)

        def score(state: tuple[Array, ...], stores: bool) -> float:
            mean = stored if stores else Mean(logistic)
            mean.add(self._draw(state, held, relations))
            return self._score(held, mean.value())

        return score

    def _logistic(self, relations: Int32Array) -> BoolArray:
        return np.array([self.losses_[self.relations_[k].name] == "logistic" for k in relations], dtype=bool)


class Mean:
    """The mean of draws of x; if the likelihood is logistic, of the probability, as its log-odds.

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
        """Add a draw."""
        self._count += 1
        self._total += x
        # log P(+1) = −log(1 + exp(−x)), added as logarithms: log-odds of 50 must not become infinite.
        np.logaddexp(self._yes, -np.logaddexp(0, -x[self._logistic]), out=self._yes)
        np.logaddexp(self._no, -np.logaddexp(0, x[self._logistic]), out=self._no)

    def value(self) -> Array:
        """The mean of all draws so far."""
        mean: Array = self._total / self._count
        mean[self._logistic] = self._yes - self._no
        return mean


def _check_chain(model: Sampler, n_objects: int) -> list[Diagnostic]:
    """The diagnostics of a chain."""
    sweeps, facts = len(model.trace_), []
    sizes = {"rank": model.rank_, "n_objects": n_objects}
    if sweeps < model.sweeps:
        values = {"sweeps": sweeps, "of": model.sweeps, "kept": sweeps > model.burn_in}
        facts.append(Diagnostic("sampling_stopped", values=values))
    if model.rank_ > n_objects:
        facts.append(Diagnostic("rank_above_objects", values=sizes))
    after = model.trace_["objective"].to_numpy()[model.burn_in :]
    if after.size >= 2 * DRIFT_SWEEPS:
        early, late = np.array_split(after, 2)
        if abs(early.mean() - late.mean()) > 2 * max(early.std(), late.std()):
            facts.append(Diagnostic("chain_drifts", values=sizes))
    return facts

"""`Sampler`: the base class of methods that draw from a posterior instead of minimizing.

A subclass makes one `Chain` or several, whose `sweep` draws the next state. After a burn-in, evenly spaced states are
stored, and every prediction is a mean over those of all chains: of the probability if the likelihood is logistic, of
the rate of a count, else of x. Chains run one after the other and have equal parts of the sweeps. From `ENOUGH_CHAINS`
on, no more are run once they agree (`mixing`).
"""

import time
from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Protocol

import numpy as np

from ..data.arguments import check_range
from ..data.relational import RelationalData
from ..model.cost import NANOSECONDS, Cost, Size, factors_memory
from ..model.diagnostics import Diagnostic
from ..model.learned import one_number, optional
from ..model.method import Method
from ..model.parameters import Number, Parameter, named
from ..model.progress import Callback, Iteration, Stage, trace_frame
from ..model.threads import ShouldStop
from ..typing import Array, BoolArray, Int32Array
from .mixing import AGREE, Mixing, mixing, sample_pairs

MAX_BYTES = 1 << 29
"""The stored states take at most half a gigabyte."""

DRIFT_SWEEPS = 20
"""Two halves of at least this many sweeps are compared to detect a chain that still drifts."""

LEAST_SWEEPS = 12
"""Sweeps of each chain; fewer sweeps in all make fewer chains."""

ENOUGH_CHAINS, ENOUGH_DRAWS = 4, 100
"""This many chains and effective draws are enough where chains agree."""

SWEEP_SECONDS = 3e-4
"""The minimum time of a sweep, besides that of each relation."""

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


MakeChain = Callable[[], Chain]
"""A chain at its start."""


class Sampler(Method):
    """The base class of BPTF, BTF and MrWTD-B.

    Learned attributes besides those of every method:
        samples_: the stored states, each a tuple of arrays.
        trace_: one row per sweep; the objective is minus the log-likelihood of the training entries.
        converged_: whether all sweeps were run, or as many as are enough.
        r_hat_: split R̂ of the predictions of most pairs of a sample (`mixing`); None after very few sweeps.
        effective_draws_: the effective number of draws of a typical prediction; None after very few sweeps.
    """

    family = "Bayesian"
    parameters: ClassVar[Mapping[str, Parameter]] = named(
        Number("sweeps", low=1, whole=True), Number("burn_in", whole=True), Number("samples", low=1, whole=True)
    )

    samples_: tuple[tuple[Array, ...], ...]
    r_hat_: Annotated[float | None, optional(one_number(0))]
    effective_draws_: Annotated[float | None, optional(one_number(0))]

    chains: int = 1
    relation_seconds: ClassVar[float] = 6e-5
    """The minimum time of a sweep for each relation."""

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
        least = SWEEP_SECONDS + self.relation_seconds * size.n_relations
        seconds = self.sweeps * (rows + least + self._relations_seconds(size))
        return Cost(seconds, factors_memory(size, rank, 70 + min(self.sweeps, self.samples) / 2))

    def _relations_seconds(self, size: Size) -> float:
        """The time of drawing the relations once, if that is long."""
        return 0.0

    def _check(self, train: RelationalData) -> None:
        super()._check(train)
        check_range("burn_in", self.burn_in, 0, self.sweeps - 1, whole=True)

    def _chains(self, train: RelationalData, callback: Callback | None) -> tuple[list[MakeChain], bool]:
        """What makes each chain, at least one, and whether the callback stopped there."""
        raise NotImplementedError

    def _n_chains(self) -> int:
        return max(1, min(self.chains, self.sweeps // LEAST_SWEEPS))

    def _draw(self, state: tuple[Array, ...], entries: RelationalData, relations: Int32Array) -> Array:
        """x at the entries in one state."""
        raise NotImplementedError

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        make_chains, stopped = self._chains(train, callback)
        recorder = Recorder(self, train, callback, stopped)
        lengths = [len(part) for part in np.array_split(np.arange(self.sweeps), len(make_chains))]
        for number, (make_chain, length) in enumerate(zip(make_chains, lengths, strict=True), 1):
            chain = make_chain()
            recorder.run(chain, length)
            if recorder.stopped or (number >= ENOUGH_CHAINS and _is_enough(mixing(recorder.draws))):
                break
        facts = chain.diagnostics(length)
        self.samples_ = tuple(recorder.states) or (chain.state(),)
        self.trace_ = trace_frame(recorder.trace)
        self.converged_ = not recorder.stopped
        found = mixing(recorder.draws)
        self.r_hat_, self.effective_draws_ = (None, None) if found is None else (found.r_hat, found.effective_draws)
        self.diagnostics_ = (*self.diagnostics_, *_check_chains(self, recorder, train.n_objects), *facts)

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        """The mean over the stored states: of x, of the probability (as log-odds), or of the rate (as logarithm)."""
        mean = self._mean(entries, relations)
        for state in self.samples_:
            mean.add(self._draw(state, entries, relations))
        return mean.value()

    def _mean(self, entries: RelationalData, relations: Int32Array) -> "Mean":
        """The mean of draws at the entries, of none so far."""
        largest = None if self.largest_ is None else self.largest_[relations][entries.k]
        logistic, log_rate = (self._with_loss(name, relations)[entries.k] for name in ("logistic", "poisson"))
        return Mean(logistic, log_rate, largest)

    def predict_std(self, entries: RelationalData) -> Array:
        """The posterior standard deviation: of the probability if there is one, else of the expected value.

        For a binary relation without a probability it is that of x. The noise of a single observation is not included.
        """
        entries, relations = self._align(entries)
        if len(self.samples_) < 2:
            return np.full(len(entries), np.nan)
        logistic = self._with_loss("logistic", relations)[entries.k]
        binary = np.array([self.relations_[k].kind == "binary" for k in relations])[entries.k]
        mean, squares = np.zeros(len(entries)), np.zeros(len(entries))
        for count, state in enumerate(self.samples_, 1):
            x = self._draw(state, entries, relations)
            value = np.where(binary, x, self._expected(x, state, entries, relations))
            value[logistic] = self._probability(x, entries, relations)[logistic]
            deviation = value - mean
            mean += deviation / count
            squares += deviation * (value - mean)
        return np.asarray(np.sqrt(squares / len(self.samples_)))

    def _expected(self, x: Array, state: tuple[Array, ...], entries: RelationalData, relations: Int32Array) -> Array:
        """The expected values at the entries in one state, of x there."""
        return self._map(x, entries, relations)

    def _scorer(self, held: RelationalData) -> Callable[[tuple[Array, ...], bool], float]:
        """The score of held-out entries by state: of the mean of the stored ones, or of one that is not stored."""
        relations = np.arange(held.n_relations, dtype=np.int32)
        stored = self._mean(held, relations)

        def score(state: tuple[Array, ...], stores: bool) -> float:
            mean = stored if stores else self._mean(held, relations)
            mean.add(self._draw(state, held, relations))
            return self._score(held, mean.value())

        return score

    def _with_loss(self, name: str, relations: Int32Array) -> BoolArray:
        return np.array([self.losses_[self.relations_[k].name] == name for k in relations], dtype=bool)


class Mean:
    """The mean of draws: of x, of the probability as its log-odds, or of the rate exp(x) as its logarithm.

    No rate is above the largest training count of its relation: with few entries, one draw of x can be any number.

    >>> mean = Mean(np.array([False, True, False]), np.array([False, False, True]))
    >>> mean.add(np.array([1.0, 2.0, np.log(1.0)]))
    >>> mean.add(np.array([2.0, -2.0, np.log(3.0)]))
    >>> mean.value().round(3)
    array([1.5  , 0.   , 0.693])

    Args:
        logistic: where the probability is averaged.
        log_rate: where the rate is averaged.
        largest: the largest training count of each entry's relation; None for no limit.
    """

    def __init__(self, logistic: BoolArray, log_rate: BoolArray, largest: Array | None = None):
        self._logistic, self._log_rate, self._count, self._total = logistic, log_rate, 0, np.zeros(logistic.size)
        self._limit = np.inf if largest is None else np.log(np.maximum(largest[log_rate], 1.0))
        self._yes, self._no = (np.full(logistic.sum(), -np.inf) for _ in range(2))
        self._rate = np.full(log_rate.sum(), -np.inf)

    def add(self, x: Array) -> None:
        """Add a draw."""
        self._count += 1
        self._total += x
        # log P(+1) = −log(1 + exp(−x)), added as logarithms: log-odds of 50 must not become infinite.
        np.logaddexp(self._yes, -np.logaddexp(0, -x[self._logistic]), out=self._yes)
        np.logaddexp(self._no, -np.logaddexp(0, x[self._logistic]), out=self._no)
        np.logaddexp(self._rate, np.minimum(x[self._log_rate], self._limit), out=self._rate)

    def value(self) -> Array:
        """The mean of all draws so far."""
        mean: Array = self._total / self._count
        mean[self._logistic] = self._yes - self._no
        mean[self._log_rate] = self._rate - np.log(self._count)
        return mean


class Recorder:
    """Runs chains, and stores their states, their trace and the predictions of a sample of pairs."""

    def __init__(self, model: Sampler, train: RelationalData, callback: Callback | None, stopped: bool):
        self.model, self.callback, self.stopped = model, callback, stopped
        self.states, self.trace = list[tuple[Array, ...]](), list[Iteration]()
        self.draws, self.lengths = list[Array](), list[int]()
        self._pairs = sample_pairs(train, np.random.default_rng([model.seed, 5]))
        self._relations = np.arange(train.n_relations, dtype=np.int32)
        self._start = self._last_call = time.perf_counter()
        self._held_score = None if model._held_out is None else model._watch(model._scorer(model._held_out))
        self._score: float | None = None

    def run(self, chain: Chain, sweeps: int) -> None:
        """Run a chain."""
        model, n_chains = self.model, self.model._n_chains()
        bytes_each = sum(part.nbytes for part in chain.state())
        total = max(1, min(model.samples, MAX_BYTES // bytes_each))
        # With fewer states than chains, chains at equal distances have one each.
        n_states = total // n_chains or int(len(self.lengths) * total % n_chains < total)
        burn_in = min(round(model.burn_in * sweeps / model.sweeps), sweeps - 1)
        step = -(-(sweeps - burn_in) // n_states) if n_states else sweeps + 1
        draws, number = list[Array](), 0
        while number < sweeps and not self.stopped:
            if not chain.sweep(self._should_stop):
                self.stopped = True
                break
            number += 1
            state = chain.state()
            if number > burn_in:
                draws.append(model._draw(state, self._pairs, self._relations))
            self._record(chain, state, stores=number > burn_in and (number - burn_in) % step == 0)
        self.draws.append(np.array(draws).reshape(len(draws), len(self._pairs)))
        self.lengths.append(number)

    def _record(self, chain: Chain, state: tuple[Array, ...], *, stores: bool) -> None:
        seconds = time.perf_counter() - self._start - self.model.watched_
        if stores:
            self.states.append(state)
        if self._held_score is not None and (stores or not self.states):
            self._score = self._held_score(state, stores)
        number = len(self.trace) + 1
        self.trace.append(
            Iteration(number, chain.minus_log_likelihood(), np.nan, seconds, self._score, Stage("sampling"))
        )
        self.stopped = self.callback is not None and bool(self.callback(self.trace[-1]))
        self._last_call = time.perf_counter()

    def _should_stop(self) -> bool:
        """Whether the user stops in the middle of a sweep."""
        now = time.perf_counter()
        if self.callback is not None and now - self._last_call > CALLBACK_SECONDS:
            objective = self.trace[-1].objective if self.trace else np.nan
            step = Iteration(len(self.trace) + 1, objective, np.nan, now - self._start, None, Stage("sweep"))
            self._last_call, self.stopped = now, bool(self.callback(step))
        return self.stopped


def _is_enough(found: Mixing | None) -> bool:
    return found is not None and found.r_hat <= AGREE and found.effective_draws >= ENOUGH_DRAWS


def _check_chains(model: Sampler, recorder: Recorder, n_objects: int) -> list[Diagnostic]:
    """The diagnostics of all chains."""
    sweeps, facts = len(recorder.trace), []
    sizes = {"rank": model.rank_, "n_objects": n_objects}
    if recorder.stopped and sweeps < model.sweeps:
        values = {"sweeps": sweeps, "of": model.sweeps, "kept": bool(recorder.states)}
        facts.append(Diagnostic("sampling_stopped", values=values))
    if model.rank_ > n_objects:
        facts.append(Diagnostic("rank_above_objects", values=sizes))
    after = np.array([step.objective for step in recorder.trace[model.burn_in :]])
    if len(recorder.lengths) == 1 and after.size >= 2 * DRIFT_SWEEPS:
        early, late = np.array_split(after, 2)
        if abs(early.mean() - late.mean()) > 2 * max(early.std(), late.std()):
            facts.append(Diagnostic("chain_drifts", values=sizes))
    if len(recorder.lengths) > 1 and model.r_hat_ is not None:
        draws = sum(len(part) for part in recorder.draws)
        counts = {"chains": len(recorder.lengths), "draws": draws, "effective": model.effective_draws_}
        found = {"r_hat": model.r_hat_, "agree": model.r_hat_ <= AGREE}
        facts.append(Diagnostic("mixing", values=counts | found))
    return facts

"""MMMF+: MrWTD on each relation alone. What it lacks beside MrWTD is what the relations learn from each other."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from ..data.relational import RelationalData
from ..metrics import selection_score
from ..model import search
from ..model.advice import TOO_HIGH
from ..model.layout import Factors
from ..model.method import trace_frame
from ..model.mrwtd import MrWTD
from ..model.objective import reconstruct
from ..model.solver import Callback, Iteration
from ..model.starts import constants
from .penalised import Penalised

Array = npt.NDArray[np.float64]

MOST_NAMES = 5
"""A message names this many relations; the rest are counted."""


class MMMFPlus(Penalised):
    """Each relation is φ_k(A_k R_k A_kᵀ + b_k): MrWTD without a common A.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = MMMFPlus(rank=2, lam=1.0).fit(train)
    >>> model.A_.shape, model.R_.shape, model.b_.shape
    ((2, 15, 2), (2, 2, 2), (2,))

    The objective in the trace is the sum over all relations, of which those whose turn is still to come stand at their
    start.

    Args:
        rank: how many latent factors an object has, in each relation.
        loss: as of `MrWTD`.
        lam: the strength λ of the L2 regularisation, one for all relations, or "auto" for a search.
        max_iter: at most so many iterations a relation.
        tol: stop when the objective falls by less than this share of itself in five iterations.
        seed: of every random choice.

    Learned attributes, besides those of every method:
        A_, R_, b_: the factors of each relation, (m, n, r) and (m, r, r), and its bias, 0 for ordinal ones.
        cuts_: {relation: ascending cut points} of ordinal relations.
        lam_, lam_path_: the λ used, and the scores along the search for it (empty where λ was given).
    """

    A_: Array
    R_: Array

    def _check(self, train: RelationalData) -> None:
        super()._check(train)
        MrWTD(**self.get_params())._check(train)

    def _models(self, train: RelationalData) -> dict[str, MrWTD]:
        """The model of each relation that has an entry."""
        losses = MrWTD(loss=self.loss)._losses(train.relations)
        return {
            relation.name: MrWTD(**{**self.get_params(), "loss": loss.name})
            for k, (relation, loss) in enumerate(zip(train.relations, losses, strict=True))
            if train.slice(k).start < train.slice(k).stop
        }

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        models = self._models(train)
        found = search.choose(
            self.lam, train, self.seed, lambda fitted, held: self._trial_of(models, fitted, held, callback)
        )
        self.lam_, self.lam_path_, stopped = found.lam, found.path, found.stopped
        progress = Progress(callback, stopped)
        # Where the search was stopped, its best fits are what there is: no start is further.
        begins = [
            self._begin(model, train.only([name]), state, progress)
            for (name, model), state in zip_longest(models.items(), (found.state or []) if stopped else [])
        ]
        progress.others = sum(value for _, value in begins)
        for (name, model), (theta, value) in zip(models.items(), begins, strict=True):
            model.set_params(max_iter=1 if progress.stopped else self.max_iter)
            model._begin = theta
            progress.others -= value
            model.fit(train.only([name]), progress.tell)
            progress.others += model.objective_
        self._gather(train, models)
        self.trace_ = trace_frame(progress.trace)
        self.objective_ = progress.others
        self.converged_ = all(model.converged_ for model in models.values())
        self.messages_ = tuple(gathered({name: model for name, model in models.items() if name not in progress.idle}))

    def _begin(
        self, model: MrWTD, train: RelationalData, state: Array | None, progress: Progress
    ) -> tuple[Array, float]:
        """Where the fit of one relation begins, and its objective there."""
        model.set_params(lam=self.lam_)
        objective = model._objective(train, model._prepare(train), self.lam_)
        if state is None and progress.stopped:  # nothing was learned of this relation
            progress.idle.update(relation.name for relation in train.relations)
            state = objective.layout.pack(constants(objective))
        elif state is None:
            state = model._warm_start(objective, 0, progress.tell)
        return state, objective(state)[0]

    def _trial_of(
        self, models: dict[str, MrWTD], fitted: RelationalData, held: RelationalData, callback: Callback | None
    ) -> search.Trial:
        """How the fits of all relations go at one λ."""
        trials = [model._trial(fitted.only([name]), held.only([name]), callback) for name, model in models.items()]
        kinds = [fitted.relations[fitted.relation_index(name)].kind for name in models]

        def attempt(lam: float, before: list[Any] | None, stage: str) -> search.Attempt:
            found = []
            for trial, state in zip(trials, before or [None] * len(trials), strict=True):
                found.append(trial(lam, state, stage))
                if found[-1].stopped:
                    break
            states = [None if one.collapsed else one.state for one in found]
            score = selection_score((kind, one.score) for kind, one in zip(kinds, found, strict=False))
            spent = sum(one.evaluations for one in found)
            return search.Attempt(states, score, all(one.collapsed for one in found), found[-1].stopped, spent)

        return attempt

    def _gather(self, train: RelationalData, models: dict[str, MrWTD]) -> None:
        m, n, r = train.n_relations, train.n_objects, int(self.rank)
        self.A_, self.R_, self.b_, self.cuts_ = np.zeros((m, n, r)), np.zeros((m, r, r)), np.zeros(m), {}
        for name, model in models.items():
            k = train.relation_index(name)
            self.A_[k], self.R_[k], self.b_[k], self.scales_[k] = model.A_, model.R_[0], model.b_[0], model.scales_[0]
            self.cuts_ |= model.cuts_
            self.losses_ |= model.losses_

    def _reconstruct(self, entries: RelationalData, relations: npt.NDArray[np.int32]) -> Array:
        x = np.zeros(len(entries))
        for own, k in enumerate(relations):
            alone = entries.only([entries.relations[own].name])
            x[entries.slice(own)] = reconstruct(Factors(self.A_[k], self.R_[k : k + 1], ()), self.b_[k : k + 1], alone)
        return x


class Progress:
    """The steps of several fits as those of one: the trace, the user's callback, and whether it asked to stop.

    `idle` are the relations that had no turn before that.
    """

    def __init__(self, callback: Callback | None, stopped: bool):
        self.trace: list[Iteration] = []
        self.others, self.stopped = 0.0, stopped
        self.idle: set[str] = set()
        self._callback, self._began = callback, time.perf_counter()

    def tell(self, seen: Iteration) -> object:
        """One step of the fit whose turn it is."""
        if self.stopped and self.trace:
            return True
        number, seconds = len(self.trace) + 1, time.perf_counter() - self._began
        whole = replace(seen, number=number, objective=seen.objective + self.others, seconds=seconds, theta=None)
        if seen.stage == "fit":
            self.trace.append(whole)
        self.stopped = bool(self._callback is not None and self._callback(whole)) or self.stopped
        return self.stopped


def gathered(models: dict[str, MrWTD]) -> list[str]:
    """Each message once, with the relations that it is about.

    That a rank is more than one relation can carry is no news where the rank is chosen for all of them together.
    """
    about: dict[str, list[str]] = {}
    for name, model in models.items():
        for message in model.messages_:
            if TOO_HIGH not in message:
                about.setdefault(message, []).append(name)
    more = {text: f" and {len(names) - MOST_NAMES} more" for text, names in about.items() if len(names) > MOST_NAMES}
    return [f"{', '.join(names[:MOST_NAMES])}{more.get(text, '')}: {text}" for text, names in about.items()]


METHODS = {"MMMF+": MMMFPlus}

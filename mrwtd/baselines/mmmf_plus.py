"""MMMF+: MrWTD on each relation alone. What it lacks beside MrWTD is what the relations learn from each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..data.relational import RelationalData
from ..model import lambda_search
from ..model.cancellation import defer_cancellation, is_cancelled
from ..model.diagnostics import Diagnostic, without_warnings
from ..model.initialization import constants
from ..model.layout import Factors
from ..model.learned import Rule, numbers
from ..model.method_registry import METHODS, Style
from ..model.mrwtd import MrWTD
from ..model.objective import reconstruct
from ..model.parameters import losses_of
from ..model.progress import Callback, Iteration, Stage, trace_frame
from ..model.regularized import RegularizedMethod
from ..model.validation_splits import ValidationSplit
from ..typing import Array, Int32Array
from .running_score import RunningScore


@METHODS.register
class MMMFPlus(RegularizedMethod):
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

    name, order, style = "MMMF+", 7, Style("#CC79A7", "dashdot", "cross")
    per_relation = True

    learned: ClassVar[Mapping[str, Rule]] = {"A_": numbers("m", "n", "r"), "R_": numbers("m", "r", "r")}

    A_: Array
    R_: Array

    def _models(self, train: RelationalData) -> dict[str, MrWTD]:
        """The model of each relation that has an entry."""
        losses = losses_of(self.loss, train.relations)
        return {
            relation.name: MrWTD(**{**self.get_params(), "loss": loss.name})
            for k, (relation, loss) in enumerate(zip(train.relations, losses, strict=True))
            if train.slice(k).start < train.slice(k).stop
        }

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        models = self._models(train)
        lambda_search.fit_with_search(
            self,
            train,
            lambda hold_out: self._trial_of(models, hold_out, callback),
            lambda states: self._fit_each(models, train, callback, states),
        )

    def _fit_each(
        self,
        models: dict[str, MrWTD],
        train: RelationalData,
        callback: Callback | None,
        states: list[Array | None] | None,
    ) -> None:
        """Fit every relation to all its training entries, at the λ that is set, from the states of the search."""
        progress = Progress(callback)
        held: dict[str, RelationalData | None] = dict.fromkeys(models)
        if self._held_out is not None:
            progress.score = self._watch(RunningScore(train.relations).after)
            parts = {relation.name: self._held_out.select_relations([relation.name]) for relation in train.relations}
            held = {name: parts[name] for name in models}
            for k, relation in enumerate(train.relations):
                if relation.name not in models:  # nothing is learned of it, and x is 0
                    alone = self._for_relation(k)
                    alone.b_, alone.cuts_ = np.zeros(1), {}
                    progress.score(
                        relation.name, alone._score(parts[relation.name], np.zeros(len(parts[relation.name])))
                    )
        turns = zip(models.items(), states or [None] * len(models), strict=True)
        begins = [
            self._begin(model, train.select_relations([name]), held[name], progress, own)
            for (name, model), own in turns
        ]
        progress.others = sum(value for _, value in begins)
        with defer_cancellation():
            for (name, model), (theta, value) in zip(models.items(), begins, strict=True):
                model.set_params(max_iter=1 if progress.stopped else self._most_iterations(), tol=self._last_tol())
                progress.turn, progress.others = name, progress.others - value
                model._begin, model._searched = theta, self.lam == "auto"
                with without_warnings():
                    model.fit(train.select_relations([name]), progress.tell, held[name])
                progress.others += model.objective_
        self._gather(train, models)
        self.watched_ += sum(model.watched_ for model in models.values())
        self.trace_ = trace_frame(progress.trace)
        self.diagnostics_ = gathered({name: model for name, model in models.items() if name not in progress.idle})

    def _begin(
        self,
        model: MrWTD,
        train: RelationalData,
        held: RelationalData | None,
        progress: Progress,
        state: Array | None,
    ) -> tuple[Array, float]:
        """Where the fit of one relation begins, and its objective there."""
        model.set_params(lam=self.lam_)
        model._prepare(train)
        problem = model._problem(train)
        objective = problem.objective.with_lam(self.lam_)
        if progress.stopped:  # nothing will be learned of this relation
            progress.idle.update(relation.name for relation in train.relations)
            state = objective.layout.pack(constants(objective))
        elif state is None:
            state, _ = model._warm_start(objective, progress.tell)
        if held is not None and progress.score is not None:
            progress.score(train.relations[0].name, self._watch(model._scorer(problem, held))(state))
        return state, objective(state)[0]

    def _trial_of(
        self, models: dict[str, MrWTD], hold_out: ValidationSplit, callback: Callback | None
    ) -> lambda_search.Trial:
        """How the fits of all relations go at one λ. Once the user has stopped, each that is left takes one step."""
        stopped, fitted = False, hold_out.fitted

        def tell(seen: Iteration) -> bool:
            nonlocal stopped
            stopped = stopped or is_cancelled() or bool(callback is not None and callback(seen))
            return stopped

        trials = [model._trial(hold_out.for_relation(name), tell) for name, model in models.items()]

        def attempt(lam: float, before: list[Any] | None, stage: Stage) -> lambda_search.TrialResult:
            starts = before or [None] * len(trials)
            found = [trials[0](lam, starts[0], stage)]
            with defer_cancellation():
                found += [trial(lam, state, stage) for trial, state in zip(trials[1:], starts[1:], strict=True)]

            def keep() -> None:
                for one in found:
                    one.keep()
                self.lam_ = lam
                self._gather(fitted, models)
                self.trace_, self.diagnostics_ = joined([*models.values()]), gathered(models)

            # What a relation cannot go on from is started afresh, and the others are not.
            resumed = [one.state if one.resumable and not one.collapsed else None for one in found]
            return lambda_search.TrialResult(
                resumed,
                np.concatenate([one.predictions for one in found]),
                all(one.collapsed for one in found),
                stopped,
                finished=all(one.finished for one in found),
                resumable=any(state is not None for state in resumed),
                evaluations=sum(one.evaluations for one in found),
                keep=keep,
            )

        return attempt

    def _gather(self, train: RelationalData, models: dict[str, MrWTD]) -> None:
        m, n, r = train.n_relations, train.n_objects, self.rank_
        self.A_, self.R_, self.b_, self.cuts_ = np.zeros((m, n, r)), np.zeros((m, r, r)), np.zeros(m), {}
        for name, model in models.items():
            k = train.relation_index(name)
            self.A_[k], self.R_[k], self.b_[k], self.scales_[k] = model.A_, model.R_[0], model.b_[0], model.scales_[0]
            self.cuts_ |= model.cuts_
            self.losses_ |= model.losses_
        self.objective_ = sum(model.objective_ for model in models.values())
        self.converged_ = all(model.converged_ for model in models.values())

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        x = np.zeros(len(entries))
        for own, k in enumerate(relations):
            alone = entries.select_relations([entries.relations[own].name])
            x[entries.slice(own)] = reconstruct(Factors(self.A_[k], self.R_[k : k + 1], ()), self.b_[k : k + 1], alone)
        return x


class Progress:
    """The steps of several fits as those of one: the trace, the user's callback, and whether it asked to stop.

    `turn` is the relation whose fit it is, `idle` are those that had no turn before the stop, and `score` is that of
    all, where it is watched.
    """

    def __init__(self, callback: Callback | None):
        self.trace: list[Iteration] = []
        self.turn, self.others, self.stopped = "", 0.0, False
        self.idle: set[str] = set()
        self.score: Callable[[str, float], float] | None = None
        self._callback, self._before = callback, ("", 0.0)

    def tell(self, seen: Iteration) -> object:
        """One step of the fit whose turn it is."""
        if self.stopped and self.trace:
            return True
        if self._before[0] != self.turn:
            self._before = self.turn, self.trace[-1].seconds if self.trace else 0.0
        number, seconds = len(self.trace) + 1, self._before[1] + seen.seconds
        score = seen.score if seen.score is None or self.score is None else self.score(self.turn, seen.score)
        objective = seen.objective + self.others
        whole = replace(seen, number=number, objective=objective, seconds=seconds, score=score, theta=None)
        if seen.stage.kind == "fit":
            self.trace.append(whole)
        self.stopped = bool(self._callback is not None and self._callback(whole)) or self.stopped or is_cancelled()
        return self.stopped


def joined(models: list[MrWTD]) -> pd.DataFrame:
    """The traces of fits that came one after another as one: the objectives add up, of those to come at their first."""
    ends = [model.objective_ for model in models]
    first = [model.trace_["objective"].iloc[0] if len(model.trace_) else model.objective_ for model in models]
    began, parts = 0.0, []
    for k, model in enumerate(models):
        others = sum(ends[:k]) + sum(first[k + 1 :])
        own = model.trace_
        parts.append(own.assign(objective=own["objective"] + others, seconds=own["seconds"] + began))
        began += float(own["seconds"].max()) if len(own) else 0.0
    whole = pd.concat(parts, ignore_index=True)
    return whole.assign(iteration=np.arange(1, len(whole) + 1))


def gathered(models: dict[str, MrWTD]) -> tuple[Diagnostic, ...]:
    """What the fits of single relations report, with their names.

    That a rank is more than one relation supports is no news where the rank is chosen for all of them together.
    """
    facts = ((name, fact) for name, model in models.items() for fact in model.diagnostics_)
    return tuple(replace(fact, relation=name) for name, fact in facts if fact.code != "rank_unused")

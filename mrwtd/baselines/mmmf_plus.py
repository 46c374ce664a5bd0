"""MMMF+: MrWTD on each relation separately. The difference from MrWTD is what relations learn from each other."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ..data.relational import RelationalData
from ..model import lambda_search, tuning
from ..model.cancellation import defer_cancellation, is_cancelled
from ..model.diagnostics import Diagnostic, without_warnings
from ..model.initialization import constants
from ..model.layout import Factors
from ..model.learned import numbers
from ..model.method import METHODS, Style
from ..model.mrwtd import MrWTD
from ..model.objective import reconstruct
from ..model.progress import Callback, Iteration, Stage, trace_frame
from ..model.regularized import RegularizedMethod
from ..model.validation_splits import ValidationSplit
from ..typing import Array, IndexArray, Int32Array
from .sequential import Progress, RunningScore


@METHODS.register
class MMMFPlus(RegularizedMethod):
    """Each relation is φ_k(A_k R_k A_kᵀ + b_k): MrWTD without a common A.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = MMMFPlus(rank=2, lam=1.0).fit(train)
    >>> model.A_.shape, model.R_.shape, model.b_.shape
    ((2, 15, 2), (2, 2, 2), (2,))

    The objective in the trace is the sum over all relations; those that are not fitted yet count with their start.

    Args:
        rank: the number of latent factors in each relation.
        loss: as in `MrWTD`.
        lam: the L2 regularization strength λ of all relations, or "auto" for a search.
        max_iter: the maximum number of iterations per relation.
        tol: stop when the objective falls by less than this fraction of itself in five iterations.
        seed: the seed of every random choice.

    Learned attributes besides those of every method with a λ:
        A_, R_: the factors of each relation, (m, n, r) and (m, r, r).
    """

    name, order, style = "MMMF+", 7, Style("#CC79A7", "dashdot", "cross")
    per_relation = True

    A_: Annotated[Array, numbers("m", "n", "r")]
    R_: Annotated[Array, numbers("m", "r", "r")]

    def _models(self, train: RelationalData) -> dict[str, MrWTD]:
        """The model of each relation that has an entry."""
        return {
            relation.name: MrWTD(**{**self.get_params(), "rank": self.rank_, "loss": loss.name})
            for k, (relation, loss) in enumerate(zip(train.relations, self._losses(train), strict=True))
            if train.slice(k).start < train.slice(k).stop
        }

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        tuning.fit_with_search(
            self,
            train,
            lambda split: self._trial_of(self._models(train), split, callback),
            lambda states: self._fit_each(train, callback, states),
        )

    def _fit_each(
        self,
        train: RelationalData,
        callback: Callback | None,
        states: list[Array | None] | None,
    ) -> None:
        """Fit every relation to all its training entries at `lam_`, from the states of the search."""
        models = self._models(train)
        progress = Progress(callback)
        held: dict[str, RelationalData | None] = dict.fromkeys(models)
        if self._held_out is not None:
            progress.score = self._watch(RunningScore(train.relations).update)
            for k, relation in enumerate(train.relations):
                entries = self._held_out.select_relations([relation.name])
                if relation.name in models:
                    held[relation.name] = entries
                else:  # nothing is learned about it, and x is 0
                    single = self._for_relation(k)
                    single.b_, single.cuts_ = np.zeros(1), {}
                    progress.score(relation.name, single._score(entries, np.zeros(len(entries))))
        parts = {name: train.select_relations([name]) for name in models}
        starts = [
            self._start(model, parts[name], held[name], progress, state)
            for (name, model), state in zip(models.items(), states or [None] * len(models), strict=True)
        ]
        progress.others = sum(value for _, value in starts)
        with defer_cancellation():
            for (name, model), (theta, value) in zip(models.items(), starts, strict=True):
                model.set_params(max_iter=1 if progress.stopped else self._max_iterations(), tol=self._final_tol())
                progress.relation, progress.others = name, progress.others - value
                model._given_start, model._searched = theta, self.lam == "auto"
                with without_warnings():
                    model.fit(parts[name], progress.add, held[name])
                progress.others += model.objective_
        self._gather(train, models)
        self.watched_ += sum(model.watched_ for model in models.values())
        self.trace_ = trace_frame(progress.trace)
        self.diagnostics_ = all_diagnostics({name: models[name] for name in models if name not in progress.skipped})

    def _start(
        self,
        model: MrWTD,
        train: RelationalData,
        held: RelationalData | None,
        progress: Progress,
        state: Array | None,
    ) -> tuple[Array, float]:
        """The start of the fit of one relation, and its objective there."""
        model.set_params(lam=self.lam_)
        model._prepare(train)
        problem = model._problem(train)
        objective = problem.objective.with_lam(self.lam_)
        if progress.stopped:  # nothing will be learned about this relation
            progress.skipped.add(train.relations[0].name)
            state = objective.layout.pack(constants(objective))
        elif state is None:
            state, _ = model._warm_start(objective, progress.add)
        if held is not None and progress.score is not None:
            progress.score(train.relations[0].name, self._watch(model._scorer(problem, held))(state))
        return state, objective(state)[0]

    def _trial_of(
        self, models: dict[str, MrWTD], split: ValidationSplit, callback: Callback | None
    ) -> lambda_search.Trial:
        """The fits of all relations as a function of λ. Once the user has stopped, the remaining ones take one step."""
        rank, stopped = self.rank_, False

        def stop(iteration: Iteration) -> bool:
            nonlocal stopped
            stopped = stopped or is_cancelled() or bool(callback is not None and callback(iteration))
            return stopped

        trials = [model._trial(split.for_relation(name), stop) for name, model in models.items()]

        def trial(lam: float, starts: list[Any] | None, stage: Stage) -> lambda_search.TrialResult:
            starts = starts or [None] * len(trials)
            results = [trials[0](lam, starts[0], stage)]
            with defer_cancellation():
                results += [trial(lam, start, stage) for trial, start in zip(trials[1:], starts[1:], strict=True)]

            def store() -> None:
                for result in results:
                    result.store()
                self.lam_, self.rank_ = lam, rank
                self._gather(split.fitted, models)
                self.trace_, self.diagnostics_ = joined_trace([*models.values()]), all_diagnostics(models)

            # Only relations that cannot continue from their state start again.
            next_starts = [result.next_start for result in results]
            return lambda_search.TrialResult(
                next_starts,
                np.concatenate([result.predictions for result in results]),
                all(result.collapsed for result in results),
                stopped,
                finished=all(result.finished for result in results),
                resumable=any(start is not None for start in next_starts),
                evaluations=sum(result.evaluations for result in results),
                store=store,
            )

        return trial

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

    def _candidate_scores(self, k: int, objects: IndexArray, side: str) -> Array:
        R = self.R_[k] if side == "tail" else self.R_[k].T
        return np.asarray((self.A_[k][objects] @ R) @ self.A_[k].T + self.b_[k])

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        x = np.zeros(len(entries))
        for position, k in enumerate(relations):
            part = entries.select_relations([entries.relations[position].name])
            factors = Factors(self.A_[k], self.R_[k : k + 1], ())
            x[entries.slice(position)] = reconstruct(factors, self.b_[k : k + 1], part)
        return x


def joined_trace(models: list[MrWTD]) -> pd.DataFrame:
    """The traces of consecutive fits as one, with the sum of all objectives; those of later fits at their start."""
    ends = [model.objective_ for model in models]
    first = [model.trace_["objective"].iloc[0] if len(model.trace_) else model.objective_ for model in models]
    seconds, parts = 0.0, []
    for k, model in enumerate(models):
        others, trace = sum(ends[:k]) + sum(first[k + 1 :]), model.trace_
        parts.append(trace.assign(objective=trace["objective"] + others, seconds=trace["seconds"] + seconds))
        seconds += float(trace["seconds"].max()) if len(trace) else 0.0
    joined = pd.concat(parts, ignore_index=True)
    return joined.assign(iteration=np.arange(1, len(joined) + 1))


def all_diagnostics(models: dict[str, MrWTD]) -> tuple[Diagnostic, ...]:
    """The diagnostics of the fits, with the names of their relations.

    A rank above what one relation supports is not reported: the rank is chosen for all of them together.
    """
    facts = ((name, fact) for name, model in models.items() for fact in model.diagnostics_)
    return tuple(replace(fact, relation=name) for name, fact in facts if fact.code != "rank_unused")

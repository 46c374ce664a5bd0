"""`RegularizedMethod`: a method with one regularization strength λ, given or chosen by a search.

A subclass sets up its problem from data (`_problem`), solves it at a λ (`_solve`) and stores the solution (`_store`),
or overrides `_fit`. Validation splits, grid, path, warm starts and the score that chooses λ are those of
`lambda_search`.
"""

from collections.abc import Callable, Mapping
from copy import copy
from typing import Annotated, Any, ClassVar

import pandas as pd

from ..data.relational import RelationalData
from ..typing import Array
from . import lambda_search, tuning
from .cost import (
    FITS_OF_A_RANK_SEARCH,
    FITS_OF_A_SEARCH,
    ITERATIONS,
    STEP_SECONDS,
    Cost,
    Size,
    evaluation_seconds,
    factors_memory,
)
from .diagnostics import Diagnostic, collapse_cause
from .fit_checks import slope_agrees
from .learned import cuts, is_path, is_rank_path, numbers, one_number, optional
from .losses import Loss
from .method import Method
from .parameters import AUTO, FITTING, Parameter, default_rank, losses_of
from .progress import Callback, Stage, trace_frame, with_stage
from .rank_search import possible_ranks
from .scaling import largest_counts, standard_scales
from .solver import Solution, SolverOptions
from .validation_splits import ValidationSplit


class RegularizedMethod(Method):
    """The base class of methods with a λ.

    Learned attributes besides those of every method:
        b_: the bias of each relation, 0 for ordinal ones.
        cuts_: {relation: ascending cut points} of ordinal relations.
        lam_, lam_path_: the λ used, and the scores along the search for it (empty if λ was given).
        rank_path_: the held-out scores of the ranks that were tried with rank="auto"; None if the rank was given.
        objective_: the lowest objective.
    """

    b_: Annotated[Array, numbers("m")]
    cuts_: Annotated[dict[str, Array], cuts(of_all=False)]
    lam_: Annotated[float, one_number(0)]
    lam_path_: Annotated[pd.DataFrame, is_path]
    rank_path_: Annotated[pd.DataFrame | None, optional(is_rank_path)] = None
    objective_: Annotated[float, one_number()]

    parameters: ClassVar[Mapping[str, Parameter]] = FITTING

    relative_cost: ClassVar[float] = 1.0
    """The time of an iteration as a multiple of that of MrWTD."""

    _searched: bool = False
    """Whether the given λ was chosen by another method's search."""

    def __init__(
        self,
        rank: int | str | None = None,
        loss: str | Mapping[str, str] = "auto",
        lam: float | str = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        seed: int = 0,
    ):
        super().__init__(rank, lam, seed)
        self.loss = loss
        self.max_iter = max_iter
        self.tol = tol

    def cost(self, size: Size) -> Cost:
        """The time and memory of a fit to data of this size, with the search for λ."""
        columns, ensemble = self._columns_per_factor(size), int(getattr(self, "ensemble", 1))
        rank = columns * self.rank_for(size.n_objects)
        fits = 1 + (ensemble if ensemble > 1 else 0) + self.fits_of_search()
        steps = ITERATIONS * (size.n_relations if self.per_relation else 1)  # each relation has its own iterations
        seconds = ITERATIONS * evaluation_seconds(size, rank) + steps * STEP_SECONDS
        largest = columns * possible_ranks(size.n_objects)[-1] if self.rank == AUTO else rank
        return Cost(0.05 + fits * self.relative_cost * seconds, factors_memory(size, largest, 30 + 40 * ensemble))

    def _columns_per_factor(self, size: Size) -> int:
        """The number of columns of A for each factor."""
        return 1

    def rank_for(self, n_objects: int) -> int:
        """The rank of a fit to this many objects; with "auto" the one found, or before a fit the default."""
        if self.rank != AUTO:
            return super().rank_for(n_objects)
        return int(vars(self).get("rank_", default_rank(n_objects)))

    def fits_of_search(self) -> int:
        """A search takes about as long as this many fits, at the default rank if ranks are searched too."""
        fits = FITS_OF_A_SEARCH if self.lam == AUTO else 0
        return FITS_OF_A_RANK_SEARCH + fits if self.rank == AUTO else fits

    def _losses(self, train: RelationalData) -> list[Loss]:
        """The loss of each relation."""
        return losses_of(self.loss, train.relations)

    def _problem(self, data: RelationalData) -> Any:
        """The problem that `_solve` takes, after `_prepare` for the same data."""
        raise NotImplementedError

    def _solve(self, problem: Any, lam: float, start: Array | None, options: SolverOptions) -> Solution:
        """The solution at λ, from an earlier solution or (None) the method's own start."""
        raise NotImplementedError

    def _store(self, problem: Any, theta: Array) -> None:
        """Set the attributes that `_reconstruct` reads."""
        raise NotImplementedError

    def _collapsed(self, problem: Any, theta: Array) -> bool:
        """Whether the solution has nothing left but biases."""
        raise NotImplementedError

    def _resumable(self, problem: Any, theta: Array) -> bool:
        """Whether the fit at a smaller λ may start from the solution."""
        return True

    def _options(self, train: RelationalData) -> tuple[str, ...]:
        """The options of a parameter that the search compares: at least one, and only one if it compares none."""
        return ("",)

    def _use_option(self, option: str, scores: Mapping[str, float]) -> None:
        """Use an option from now on; `scores` are the held-out scores of those that were compared."""

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        tuning.fit_with_search(
            self,
            train,
            lambda split: self._trial(split, callback),
            lambda start: self._fit_all(train, callback, start),
        )

    def _prepare(self, train: RelationalData) -> list[Loss]:
        """Set the loss and the scale of each relation; returns the losses."""
        losses = self._losses(train)
        self.relations_, self.largest_ = train.relations, largest_counts(train)
        self.losses_ = {relation.name: loss.name for relation, loss in zip(train.relations, losses, strict=True)}
        self.scales_ = self._scales(train, losses)
        return losses

    def _scales(self, train: RelationalData, losses: list[Loss]) -> Array:
        return standard_scales(train, losses)

    def _final_options(self, callback: Callback | None, problem: Any) -> SolverOptions:
        """The options of the fit to all entries. After a search it may take longer, and is more exact."""
        score = None if self._held_out is None else self._watch(self._scorer(problem, self._held_out))
        return SolverOptions(self._max_iterations(), self._final_tol(), callback, score)

    def _final_tol(self) -> float:
        return lambda_search.FINER * self.tol if self.lam == "auto" else self.tol

    def _max_iterations(self) -> int:
        return self.max_iter * (lambda_search.MORE_ITERATIONS if self.lam == "auto" else 1)

    def _fit_all(self, train: RelationalData, callback: Callback | None, start: Array | None) -> None:
        """Fit to all training entries at `lam_`, from a solution of the search if there is one."""
        self._prepare(train)
        problem = self._problem(train)
        options = self._final_options(with_stage(callback, Stage("fit")), problem)
        solution = self._solve(problem, self.lam_, start, options)
        self._finish(problem, solution, "fit" if solution.reason == "stopped" else "")

    def _trial(self, split: ValidationSplit, callback: Callback | None) -> lambda_search.Trial:
        """The fit of one validation split as a function of λ. The scales of values are those of its fitted part."""
        probe = copy(self)
        probe._prepare(split.fitted)
        problem = probe._problem(split.fitted)

        def trial(lam: float, start: Array | None, stage: Stage) -> lambda_search.TrialResult:
            tol = lambda_search.COARSER * self.tol
            options = SolverOptions(self._max_iterations(), tol, with_stage(callback, stage))
            solution = probe._solve(problem, lam, start, options)
            probe._store(problem, solution.theta)

            def store() -> None:
                probe.lam_ = lam
                probe._finish(problem, solution, "search")
                vars(self).update(vars(probe))

            return lambda_search.TrialResult(
                solution.theta,
                probe._scored_values(split.held),
                self._collapsed(problem, solution.theta),
                solution.reason == "stopped",
                finished=solution.converged,
                resumable=self._resumable(problem, solution.theta),
                evaluations=solution.evaluations,
                store=store,
            )

        return trial

    def _scorer(self, problem: Any, held: RelationalData) -> Callable[..., float]:
        """The score of held-out entries as a function of a solution."""
        probe = copy(self)

        def score(theta: Array) -> float:
            probe._store(problem, theta)
            return probe._score(held)

        return score

    def _finish(self, problem: Any, solution: Solution, stopped: str = "") -> None:
        """Set all learned attributes; `stopped` is "fit" or "search" if the user stopped during it."""
        self._store(problem, solution.theta)
        self.objective_ = solution.value
        self.trace_ = trace_frame(solution.trace)
        self.converged_ = not stopped and solution.converged
        self.diagnostics_ = tuple(self._checked_fit(problem, solution, stopped))

    def _checked_fit(self, problem: Any, solution: Solution, stopped: str) -> list[Diagnostic]:
        """The diagnostics of how the fit ended, and of the rank."""
        facts = []
        if self._collapsed(problem, solution.theta):
            cause = collapse_cause(self.lam_, constant=self._constant, during_search=stopped == "search")
            facts.append(Diagnostic("collapsed", values={"lam": self.lam_, "cause": cause}))
        if stopped:
            facts.append(Diagnostic("stopped", values={"during": stopped}))
        elif solution.reason == "failed":
            facts.append(Diagnostic("failed"))
        elif not solution.converged:
            searched = self._searched or self.lam == "auto"
            values = {"iterations": len(solution.trace), "searched": searched, "lam": self.lam_}
            facts.append(Diagnostic("not_converged", values=values))
        wrong = [loss.name for loss in dict.fromkeys(self._all_losses()) if not slope_agrees(loss)]
        facts += [Diagnostic("wrong_slope", values={"loss": name}) for name in wrong]
        return facts + self._check_rank(problem, solution)

    def _check_rank(self, problem: Any, solution: Solution) -> list[Diagnostic]:
        values = {"rank": self.rank_, "n_objects": len(self.objects_)}
        return [Diagnostic("rank_above_objects", values=values)] if self.rank_ > len(self.objects_) else []

    def _extras(self, k: int) -> Array:
        cuts: Array = self.cuts_.get(self.relations_[k].name, self.b_[k : k + 1])
        return cuts

"""Diagnostics: facts about a fit for its user, with the relation and the numbers.

A fit makes `Diagnostic`s, and models store them as data. `message()` gives the text, and `suggested_fix(settings)` the
change of settings that may help. No other code parses the text.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any, Protocol

from ..errors import DataError, Problem
from .context import temporarily
from .lambda_grid import GRID, STEP, nearest

Values = Mapping[str, Any]
Changes = dict[str, Any]

MOST_NAMES = 5
"""A message names at most this many relations."""

MOST_TRAINED = 0.9
"""The largest training fraction that a fix suggests."""


class ConvergenceWarning(UserWarning):
    """A fit that collapsed to zero, failed, or was cut before it converged.

    >>> import mrwtd
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = mrwtd.MrWTD(rank=2, lam=1e4).fit(mrwtd.load_dataset("florentine"))
    >>> [warning.category.__name__ for warning in caught]
    ['ConvergenceWarning']
    """


class RankError(DataError):
    """A rank that is too high for a method.

    >>> RankError(Problem("rank = 900", "at most rank 70"), largest_rank=70).largest_rank
    70

    Attributes:
        largest_rank: the highest that the method supports.
    """

    def __init__(self, problem: Problem, *, largest_rank: int):
        super().__init__(problem)
        self.largest_rank = largest_rank

    def __reduce__(self) -> tuple[object, ...]:
        return partial(RankError, largest_rank=self.largest_rank), (self.problems[0],)


class FitSettings(Protocol):
    """The settings that a suggested fix changes."""

    @property
    def rank(self) -> int | str:
        """The number of latent factors, or "auto" for a search."""

    @property
    def lam(self) -> float | str:
        """λ, or "auto" for a search."""

    @property
    def train(self) -> float:
        """The training fraction."""


_ANY_SETTINGS = tuple(SimpleNamespace(rank=100, lam=lam, train=0.3) for lam in ("auto", 1.0))
"""Settings to try every fix with when a diagnostic is read from a file."""


@dataclass(frozen=True)
class Diagnostic:
    """One fact about a fit.

    >>> collapsed = Diagnostic("collapsed", values={"lam": 100.0, "cause": "lambda"})
    >>> collapsed.message()
    'The fit collapsed to zero: at λ = 100 the regularization outweighs the data. Use a smaller λ.'

    Attributes:
        code: a key of `CODES`.
        relation: its relation, or None for all of them.
        values: its numbers and names.
    """

    code: str
    relation: str | None = None
    values: Values = field(default_factory=dict)

    def message(self) -> str:
        """The fact as text."""
        text = CODES[self.code].text
        return text.format_map(self.values) if isinstance(text, str) else text(self.values)

    def suggested_fix(self, settings: FitSettings) -> Changes | None:
        """The change of the settings of the run that may help, by name, or None.

        >>> from types import SimpleNamespace
        >>> settings = SimpleNamespace(rank=30, lam=100.0, train=0.5)
        >>> Diagnostic("collapsed", values={"lam": 100.0, "cause": "lambda"}).suggested_fix(settings)
        {'lam': 'auto'}
        """
        fix = CODES[self.code].fix
        return None if fix is None else fix(self.values, settings)

    def to_json(self) -> dict[str, Any]:
        """The diagnostic as JSON."""
        return {"code": self.code, "relation": self.relation, "values": dict(self.values)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Diagnostic:
        """The diagnostic of `to_json`; a ValueError for any other content.

        >>> Diagnostic.from_json({"code": "no_lambda_helps", "relation": None, "values": {}}).code
        'no_lambda_helps'
        """
        code, relation, values = (content.get(name) for name in ("code", "relation", "values"))
        if code not in CODES or not (relation is None or isinstance(relation, str)) or not isinstance(values, dict):
            raise ValueError("a diagnostic that no fit makes")
        read = cls(code, relation, values)
        try:
            f"{relation}{read.message()}".encode()
            for settings in _ANY_SETTINGS:
                read.suggested_fix(settings)
        except Exception:  # values of a file that was changed can be of any type
            raise ValueError("a diagnostic that no fit makes") from None
        return read


@dataclass(frozen=True)
class Code:
    """The text of a fact, its suggested fix, and whether it raises a warning in scripts."""

    text: str | Callable[[Values], str]
    """A template of the values, or a function of them."""

    fix: Callable[[Values, FitSettings], Changes | None] | None = None
    warns: bool = False


def grouped(diagnostics: Iterable[Diagnostic]) -> list[tuple[str, Diagnostic]]:
    """The text of each fact once, with its relations; and the first of those facts.

    >>> facts = [Diagnostic("no_lambda_helps", relation) for relation in ("likes", "calls")]
    >>> [text.partition(": ")[0] for text, fact in grouped(facts)]
    ['likes, calls']
    """
    facts: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        facts.setdefault(diagnostic.message(), []).append(diagnostic)
    groups = []
    for text, group in facts.items():
        relations = [fact.relation for fact in group if fact.relation is not None]
        groups.append((f"{_listed(relations)}: {text}" if relations else text, group[0]))
    return groups


def messages(diagnostics: Iterable[Diagnostic]) -> tuple[str, ...]:
    """The facts as text."""
    return tuple(text for text, _ in grouped(diagnostics))


_silent: ContextVar[bool] = ContextVar("silent", default=False)


def without_warnings() -> AbstractContextManager[None]:
    """Fits inside raise no `ConvergenceWarning`: their diagnostics are shown anyway."""
    return temporarily(_silent, True)


def warn(diagnostics: Sequence[Diagnostic]) -> None:
    """Warn the caller of this package about a doubtful fit."""
    doubtful = [diagnostic for diagnostic in diagnostics if CODES[diagnostic.code].warns]
    if _silent.get() or not doubtful:
        return
    package, level, frame = __name__.partition(".")[0], 1, inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    for text in messages(doubtful):
        warnings.warn(text, ConvergenceWarning, stacklevel=level)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _collapsed_text(values: Values) -> str:
    if values["cause"] == "constant":
        return "The fit collapsed to zero: all known values of a relation are the same, so there is nothing to learn."
    advice = {
        "lambda": "Use a smaller λ.",
        "search": "Let the search reach a smaller λ, or set one.",
        "data": "There are too few known entries to learn from.",
    }
    reason = f"at λ = {values['lam']:g} the regularization outweighs the data"
    return f"The fit collapsed to zero: {reason}. {advice[values['cause']]}"


def _collapsed_fix(values: Values, settings: FitSettings) -> Changes | None:
    if values["cause"] == "constant":
        return None
    if settings.lam != "auto":
        return {"lam": "auto"}
    if values["cause"] == "data":
        more = min(MOST_TRAINED, round(2 * settings.train, 2))
        return {"train": more} if more > settings.train else None
    smaller = values["lam"] / STEP
    return {"lam": nearest(min(1.0, smaller) if values["cause"] == "search" else smaller)}


def _larger_lam(values: Values, settings: FitSettings) -> Changes | None:
    return None if settings.lam == "auto" else {"lam": nearest(values["lam"] * STEP)}


def _stopped_text(values: Values) -> str:
    if values["during"] == "search":
        return (
            "The fit was stopped before it ended; this is the best fit of the search for λ, which uses three quarters "
            "of the training entries."
        )
    return "The fit was stopped before it ended; this is its best result so far."


def _not_converged_text(values: Values) -> str:
    more = "" if values["searched"] else ", or a larger λ, which needs fewer"
    return f"The fit was still improving after {values['iterations']} iterations. Use a larger max_iter{more}."


def _half_rank(values: Values, settings: FitSettings) -> Changes | None:
    rank = values.get("rank", 1) if isinstance(settings.rank, str) else settings.rank
    smaller = max(1, min(rank // 2, values.get("n_objects", rank) // 2))
    return {"rank": smaller} if smaller < rank else None


def _given_rank(name: str) -> Callable[[Values, FitSettings], Changes | None]:
    def fix(values: Values, settings: FitSettings) -> Changes | None:
        rank = values.get(name)
        if isinstance(settings.rank, str):
            return None  # the best one was searched
        return {"rank": int(rank)} if rank and 0 < rank < settings.rank else None

    return fix


def _sampling_stopped_text(values: Values) -> str:
    rest = (
        "predictions use the draws stored so far" if values["kept"] else "still burn-in, so predictions use one state"
    )
    return f"The sampling was stopped after {values['sweeps']} of {values['of']} sweeps: {rest}."


def _mixing_text(values: Values) -> str:
    counts = f"{values['effective']:.0f} effective draws of {values['draws']}"
    if values["agree"]:
        return f"The {values['chains']} chains agree (split R̂ {values['r_hat']:.2f}): {counts} of each prediction."
    return (
        f"The {values['chains']} chains found different solutions, and predictions are their mean: split R̂ is "
        f"{values['r_hat']:.2f}, with {counts} of each prediction. More chains or sweeps make them more exact."
    )


def _skipped_text(values: Values) -> str:
    *others, last = values["methods"]
    names = f"{', '.join(others)} and {last}" if others else last
    return f"The training was stopped before {names} could be fitted."


def _stacked_text(values: Values) -> str:
    kinds: dict[str, list[str]] = {}
    for kind, name, weight in values["weights"]:
        kinds.setdefault(kind, []).append(f"{name} {weight:.0%}")
    texts = [", ".join(parts) if len(kinds) == 1 else f"{kind}: {', '.join(parts)}" for kind, parts in kinds.items()]
    return f"Weights chosen on held-out training entries: {'; '.join(texts)}."


CODES: dict[str, Code] = {
    "collapsed": Code(_collapsed_text, _collapsed_fix, warns=True),
    "failed": Code("The fit failed: no step along the gradient lowers the objective.", warns=True),
    "wrong_slope": Code(
        "The slope of the loss {loss!r} is not the derivative of its value. Fix its value_and_slope.", warns=True
    ),
    "not_converged": Code(_not_converged_text, _larger_lam, warns=True),
    "refits_not_converged": Code("{count} of {of} refits did not converge. Use a larger max_iter.", warns=True),
    "stopped": Code(_stopped_text),
    "no_lambda_helps": Code(
        "On held-out training entries no λ did better than predicting the same value for all pairs of a relation."
    ),
    "lambda_not_scored": Code(
        "λ could not be chosen: in every relation, all held-out training entries have the same class or value."
    ),
    "rank_above_objects": Code(
        "The rank {rank} is larger than the number of objects, {n_objects}: the extra factors have no meaning.",
        _half_rank,
    ),
    "rank_unused": Code(
        "The rank {rank} is more than the data supports at λ = {lam:g}. In use: {used} of {rank} factors; the others "
        "have shrunk to zero. Rank {used} is faster, and may predict as well.",
        _given_rank("used"),
    ),
    "underdetermined": Code(
        "Rank {rank} has {numbers:,} free parameters for {entries:,} known entries and no regularization. Use a "
        "smaller rank, or a λ above 0.",
        _half_rank,
    ),
    "sampling_stopped": Code(_sampling_stopped_text),
    "chain_drifts": Code(
        "The chain was still moving when it ended. Try more sweeps with a longer burn-in, or a smaller rank.",
        _half_rank,
        warns=True,
    ),
    "mixing": Code(_mixing_text),
    "diagonal_mixes_slowly": Code(
        "Of the draws for objects with diagonal entries, {share:.0%} were rejected: these objects mix slowly. "
        "Use more sweeps, or leave the diagonal out."
    ),
    "slow_sweeps": Code(
        "A sweep solves {n_relations} systems of {unknowns:,} unknowns, about {billions:.0f} billion operations. Use "
        "a smaller rank: the time grows with its fourth to sixth power.",
        _half_rank,
    ),
    "stacked": Code(_stacked_text),
    "methods_skipped": Code(_skipped_text),
    "not_fitted": Code("This method could not be fitted: {reason}", _given_rank("largest_rank")),
}
"""Every fact that a fit can report."""


def collapse_cause(lam: float, *, constant: bool, during_search: bool) -> str:
    """Why a fit at λ has collapsed to zero.

    >>> [collapse_cause(lam, constant=False, during_search=False) for lam in (10.0, 0.001)]
    ['lambda', 'data']
    """
    if constant:
        return "constant"
    return "data" if lam <= GRID[-1] else "search" if during_search else "lambda"

"""Values of λ: test scores over the strength of the regularization, for methods that have it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...baselines import METHODS
from ...data.relational import RelationalData
from ...data.splitting import TRAINING_FRACTION
from ...errors import DataError, Problem
from ...model.lambda_grid import GRID
from ...model.parameters import default_rank
from ...model.regularized import RegularizedMethod
from ..experiment import ExperimentResult, Options, Plan
from .data_experiment import DATA_EXPERIMENTS, DataExperiment, Template, preset_runs

AXIS = "fixed_lam"
"""The column of the given λ. The column `lam` is that of a fit, which other experiments choose."""


class Lambdas(DataExperiment):
    """Scores over λ, which is given instead of chosen."""

    @property
    def offered_methods(self) -> tuple[str, ...]:
        """The methods with a λ."""
        return tuple(name for name, method in METHODS.items() if issubclass(method, RegularizedMethod))

    def check(self, options: Options) -> Options:
        """The options, if every method has a λ."""
        for method in options.methods:
            if method not in self.offered_methods:
                expected = f"methods with λ: {', '.join(self.offered_methods)}"
                raise DataError(Problem(f"{method}, which has no λ", expected))
        return super().check(options)

    def _result(self, plans: Sequence[Plan], options: Options) -> ExperimentResult:
        result = super()._result(plans, options)
        if result.scores.empty:
            return replace(result, scores=result.scores.assign(**{AXIS: []}))
        return replace(result, scores=result.scores.assign(**{AXIS: result.scores["lam"]}))


def presets(data: RelationalData) -> Mapping[str, Options]:
    """The powers of ten of the grid of λ from 0.01 to 100, or all of its values there.

    >>> import mrwtd
    >>> presets(mrwtd.load_dataset("florentine"))["quick"].lam
    (0.01, 0.1, 1.0, 10.0, 100.0)
    """
    train, rank, (once, often) = (TRAINING_FRACTION,), (default_rank(data.n_objects),), preset_runs(data)
    lambdas = tuple(lam for lam in reversed(GRID) if 0.01 <= lam <= 100)
    return {
        "quick": Options(("RESCAL", "MrWTD"), train, rank, runs=once, lam=lambdas[::2]),
        "full": Options(("RESCAL", "CP", "MrWTD"), train, rank, runs=often, lam=lambdas),
    }


DATA_EXPERIMENTS.register(
    Template(
        name="lambdas",
        label="Values of λ",
        title="Values of λ: scores over the strength of the regularization",
        about=(
            "Methods with a given λ learn from the same part of this data set and are tested on the rest. A small λ "
            "learns the training entries by heart, a large one predicts the same for all pairs. The best λ of this "
            "figure is seen with the test entries: a training chooses λ on training entries only."
        ),
        order=3,
        axis=AXIS,
        presets=presets,
        make=Lambdas,
    )
)

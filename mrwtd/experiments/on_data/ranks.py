"""Ranks: scores over the number of hidden factors."""

from collections.abc import Mapping

from ...data.relational import RelationalData
from ...data.splitting import TRAINING_FRACTION
from ..experiment import Options
from .data_experiment import DATA_EXPERIMENTS, Template, preset_methods, preset_runs

RANKS = (1, 2, 5, 10, 20, 40)


def presets(data: RelationalData) -> Mapping[str, Options]:
    """Ranks up to the number of objects.

    >>> import mrwtd
    >>> presets(mrwtd.load_dataset("florentine"))["full"].rank
    (1, 2, 5, 10)
    """
    (few, many), (once, often) = preset_methods(data), preset_runs(data)
    ranks = tuple(rank for rank in RANKS if rank <= data.n_objects) or (1,)
    some = tuple(rank for rank in ranks if rank in (2, 5, 10, 20)) or ranks
    return {
        "quick": Options(few, (TRAINING_FRACTION,), some, runs=once),
        "full": Options(many, (TRAINING_FRACTION,), ranks, runs=often),
    }


DATA_EXPERIMENTS.register(
    Template(
        name="ranks",
        label="Ranks",
        title="Ranks: scores over the number of hidden factors",
        about=(
            "Methods of several ranks learn from the same part of this data set and are tested on the rest, with λ "
            "chosen inside each training part. Methods without factors, such as Degree, do not depend on the rank."
        ),
        order=2,
        axis="rank",
        presets=presets,
    )
)

"""Learning curve: scores as the training data grows."""

from collections.abc import Mapping

from ...data.relational import RelationalData
from ...model.parameters import default_rank
from ..experiment import Options
from .data_experiment import DATA_EXPERIMENTS, Template, preset_methods, preset_runs


def presets(data: RelationalData) -> Mapping[str, Options]:
    """A few training fractions, or many.

    >>> import mrwtd
    >>> presets(mrwtd.load_dataset("florentine"))["full"].train
    (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8)
    """
    (few, many), (once, often), rank = preset_methods(data), preset_runs(data), (default_rank(data.n_objects),)
    return {
        "quick": Options(few, (0.2, 0.5, 0.8), rank, runs=once),
        "full": Options(many, (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8), rank, runs=often),
    }


DATA_EXPERIMENTS.register(
    Template(
        name="learning-curve",
        label="Learning curve",
        title="Learning curve: scores as the training data grows",
        about=(
            "Methods learn from a growing fraction of the entries of this data set and are tested on the others. λ is "
            "chosen inside each training part. A curve that still rises would gain from more data."
        ),
        order=1,
        axis="train",
        presets=presets,
    )
)

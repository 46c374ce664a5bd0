"""Experiments on one data set: templates, and the experiment that a template and a data set make."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...baselines import make_method
from ...data.relational import RelationalData
from ...metrics import main_metric
from ...model.cost import Size
from ...registry import Registry
from ..experiment import Options, command_options
from ..method_comparison import Case, Comparison

LARGE = 200_000
"""From this number of entries on, presets have fewer methods and splits."""


@dataclass(frozen=True, kw_only=True)
class DataExperiment(Comparison):
    """An experiment on one data set; see `Template.on`.

    Attributes:
        file: the data on the command line.
    """

    file: str = "DATA"

    @property
    def data(self) -> RelationalData:
        """The data set."""
        return self.default_cases[0].load()

    @property
    def key(self) -> str:
        """Name and data, for caches."""
        return f"{self.name} {self.data.digest()}"

    def estimated_seconds(self, options: Options) -> float:
        """The estimated time of all fits, one after another, from the sizes alone."""
        return sum(
            options.runs * make_method(method, rank=rank, lam=lam).cost(Size.of(self.data, train)).seconds
            for method in options.methods
            for rank in options.rank
            for train in options.train
            for lam in options.lam or ("auto",)
        )

    def command(self, options: Options) -> str:
        """The command that runs the same options."""
        words = [
            f"python -m mrwtd experiment {self.name} {shlex.quote(self.file)}",
            *command_options(options, self.presets["full"]),
        ]
        return " ".join(words)


@dataclass(frozen=True, kw_only=True)
class Template:
    """An experiment that needs a data set.

    Attributes:
        name: one word, for the command line; no experiment of the paper has it.
        label: the label on its button.
        title, about, order, axis: as of `Experiment`.
        presets: the options named "quick" and "full" for a data set.
        make: the class of the experiment.
    """

    name: str
    label: str
    title: str
    about: str
    order: int
    axis: str
    presets: Callable[[RelationalData], Mapping[str, Options]]
    make: type[DataExperiment] = DataExperiment

    def on(self, data: RelationalData, title: str = "data", file: str = "DATA") -> DataExperiment:
        """The experiment on a data set.

        >>> import mrwtd
        >>> from mrwtd.experiments.on_data.data_experiment import DATA_EXPERIMENTS
        >>> curve = DATA_EXPERIMENTS["learning-curve"].on(mrwtd.load_dataset("florentine"))
        >>> curve.presets["quick"].train, curve.metrics
        ((0.2, 0.5, 0.8), ('auprc',))
        """
        kinds = dict.fromkeys(relation.kind for relation in data.relations)
        return self.make(
            name=self.name, title=self.title, about=self.about, order=self.order, axis=self.axis, file=file,
            default_cases=(Case(title, data),), presets=self.presets(data),
            metrics=tuple(dict.fromkeys(main_metric(kind).name for kind in kinds)),
        )  # fmt: skip


DATA_EXPERIMENTS = Registry[Template]("experiment on data", "mrwtd.experiments.on_data")
"""Every experiment that runs on any data set, by name."""


def preset_methods(data: RelationalData) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The methods of a quick and of a full experiment, from quick to slow.

    >>> import mrwtd
    >>> preset_methods(mrwtd.load_dataset("florentine"))[0]
    ('Degree', 'RESCAL', 'MrWTD')
    """
    if len(data) >= LARGE:
        return ("Degree", "MrWTD"), ("Degree", "RESCAL", "MrWTD")
    return ("Degree", "RESCAL", "MrWTD"), ("Degree", "Common neighbours", "RESCAL", "CP", "BPTF", "MrWTD")


def preset_runs(data: RelationalData) -> tuple[int, int]:
    """The number of splits of a quick and of a full experiment.

    >>> import mrwtd
    >>> preset_runs(mrwtd.load_dataset("florentine"))
    (3, 20)
    """
    return (1, 3) if len(data) >= LARGE else (3, 20)

"""The experiments on real data (section 4.3): Kinship, and the two MIT data sets if the user has their files."""

from dataclasses import dataclass

from ..data.datasets import mit
from ..data.datasets.archive import contains_files
from ..errors import DataError, Problem
from .experiment import EXPERIMENTS, Options
from .method_comparison import Case, Comparison
from .paper_results import ALL_METHODS, FRACTIONS

KINSHIP = Case("Kinship", "kinship", {"symmetric": True})

MIT_DATASETS = {
    "Reality Mining": ("reality-mining", ("realitymining.mat",)),
    "Social Evolution": ("social-evolution", (mit.SURVEYS, *mit.SENSED)),
}
"""The data sets that may not be redistributed, with the files that identify them in a folder."""


def mit_cases(folder: str | None, names: tuple[str, ...] = tuple(MIT_DATASETS)) -> tuple[Case, ...]:
    """The MIT data sets whose files are in a folder or zip, in the paper's form.

    >>> mit_cases(None)
    ()
    """
    if folder is None:
        return ()
    cases = tuple(
        Case(name, MIT_DATASETS[name][0], {"folder": folder, "symmetric": True})
        for name in names
        if contains_files(folder, MIT_DATASETS[name][1])
    )
    if not cases:
        wanted = ", ".join(file for name in names for file in MIT_DATASETS[name][1])
        raise DataError(Problem("none of the files", f"a folder or zip with {wanted}"), file=folder)
    return cases


@dataclass(frozen=True, kw_only=True)
class MITComparison(Comparison):
    """A comparison that includes the MIT data sets of the user."""

    mit_datasets: tuple[str, ...] = tuple(MIT_DATASETS)
    accepts_folder: bool = True

    def cases(self, options: Options) -> tuple[Case, ...]:
        """The default data sets, and those of the user's folder."""
        return (*self.default_cases, *mit_cases(options.folder, self.mit_datasets))

    def notes(self, options: Options) -> tuple[str, ...]:
        """The data sets of the paper that are not available, with the reason."""
        available = {case.name for case in self.cases(options)}
        missing = [name for name in self.mit_datasets if name not in available]
        why = "MIT's terms forbid shipping the files; give a folder that has them with --data"
        return (f"Not run: {' and '.join(missing)} ({why}).",) if missing else ()


EXPERIMENT = EXPERIMENTS.register(
    MITComparison(
        name="real",
        title="Real data: accuracy as training data grows",
        about=(
            "Kinship terms among 104 Alyawarra: 23 binary relations, made undirected (a tie in either direction "
            "counts). Reality Mining and Social Evolution too if their files are available. Methods of rank 20 are "
            "trained on a few percent of the pairs and predict the others."
        ),
        order=2,
        source="real",
        default_cases=(KINSHIP,),
        presets={
            "quick": Options(("RESCAL-signs", "BPTF", "MrWTD-Q", "MrWTD-L"), (0.05, 0.10, 0.25), (20,), runs=2),
            "full": Options(ALL_METHODS, FRACTIONS, (20,), runs=20),
        },
    )
)

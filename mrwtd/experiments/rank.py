"""The rank experiment (section 4.4): only the rank varies, and with regularization it should matter little."""

from .experiment import EXPERIMENTS, Options
from .method_comparison import Case
from .paper_results import METHODS
from .real import KINSHIP, MITComparison

EXPERIMENT = EXPERIMENTS.register(
    MITComparison(
        name="rank",
        title="The effect of the rank",
        about=(
            "Training uses a quarter of the pairs, at ranks 5 to 40. The paper does this on Social Evolution, which "
            "runs if its files are available; Kinship and AUCS replace it. The paper reports no numbers, only that "
            "for ranks from 10 up the scores of a method differ by less than 0.02; its numbers here are those of rank "
            "20 in its table of real data."
        ),
        order=3,
        axis="rank",
        source="real",
        default_cases=(KINSHIP, Case("AUCS", "aucs", {"symmetric": True})),
        mit_datasets=("Social Evolution",),
        presets={
            "quick": Options(("RESCAL-signs", "BPTF", "MrWTD-L"), (0.25,), (5, 10, 20, 40), runs=1),
            "full": Options(METHODS, (0.25,), (5, 10, 20, 40), runs=20),
        },
    )
)

"""The synthetic experiments (section 4.2): Synth-B, three binary relations, and Synth-M, a binary and a real one."""

from __future__ import annotations

from .experiment import EXPERIMENTS, Options
from .method_comparison import Case, Comparison
from .paper_results import ALL_METHODS, FRACTIONS

EXPERIMENT = EXPERIMENTS.register(
    Comparison(
        name="synth",
        title="Synthetic data: accuracy as training data grows",
        about=(
            "Data made from the model itself, 500 objects of rank 10: Synth-B has three binary relations with a tenth "
            "of the pairs positive, Synth-M one binary and one real relation. Methods of rank 10 learn from a few "
            "percent of the pairs and predict the rest."
        ),
        order=1,
        source="synth",
        default_cases=(
            Case("Synth-B", "synth-binary", {"n_objects": 500, "n_relations": 3, "rank": 10, "seed": 0}),
            Case("Synth-M", "synth-mixed", {"n_objects": 500, "rank": 10, "seed": 0}),
        ),
        presets={
            "quick": Options(("RESCAL", "BPTF", "MrWTD-H", "MrWTD-L"), (0.05, 0.10, 0.25), (10,), runs=2),
            "full": Options(ALL_METHODS, FRACTIONS, (10,), runs=20),
        },
    )
)

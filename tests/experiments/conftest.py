import pytest

from mrwtd.experiments.experiment import Options
from mrwtd.experiments.method_comparison import Case, Comparison


@pytest.fixture(scope="session")
def small() -> Comparison:
    """A quick experiment: two methods on 15 families, with 6 fits in its quick preset."""
    quick = Options(("RESCAL", "Degree"), (0.5,), (2,), runs=3, n_jobs=1)
    return Comparison(
        name="small",
        title="Families",
        about="A test.",
        order=9,
        default_cases=(Case("Florentine", "florentine"),),
        presets={"quick": quick, "full": quick.change(train=(0.3, 0.5), runs=20)},
        source="real",
    )

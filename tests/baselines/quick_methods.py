"""Methods and data for tests that every method has to pass."""

import mrwtd
from mrwtd import DataError, RelationalData
from mrwtd.baselines import METHODS, make_method
from mrwtd.model.method import Method

FEW = {"max_iter": 40, "sweeps": 12, "burn_in": 4}
"""For speed: nothing here is about how good a method is."""


def make(name: str, **params: object) -> Method:
    quick = {key: value for key, value in FEW.items() if key in METHODS[name].parameter_names()}
    return make_method(name, **{"rank": 2, "lam": 0.5, "seed": 0, **quick, **params})


def of_every_kind(directed: bool, n: int = 12) -> RelationalData:
    return mrwtd.load_dataset("synth-kinds", n_objects=n, rank=2, positives=0.3, directed=directed)


def fit_or_refuse(model: Method, data: RelationalData) -> bool:
    """Whether the method takes the data. If not, it says which kind and why."""
    try:
        model.fit(data)
    except DataError as refusal:
        text = str(refusal)
        assert any(relation.kind in text for relation in data.relations), text
        assert len(text.split("expected", 1)[1].split()) > 4, f"no reason is given: {text}"
        return False
    return True

"""Quick fits and small data for tests that every method has to pass."""

import mrwtd
from mrwtd import DataError, RelationalData
from mrwtd.baselines import METHODS, make_method
from mrwtd.model.method import Method

QUICK = {"max_iter": 40, "sweeps": 12, "burn_in": 4}
"""Few iterations, for speed: these tests do not measure accuracy."""


def make(name: str, **params: object) -> Method:
    quick = {key: value for key, value in QUICK.items() if key in METHODS[name].parameter_names()}
    if name == "MrWTD-E":
        quick["ensemble"] = 2
    return make_method(name, **{"rank": 2, "lam": 0.5, "seed": 0, **quick, **params})


def chosen_coding(model: Method) -> dict[str, str]:
    """The parameter that was chosen together with λ."""
    return {"coding": model.coding_} if hasattr(model, "coding_") else {}


def data_of_every_kind(directed: bool, n: int = 12) -> RelationalData:
    return mrwtd.load_dataset("synth-kinds", n_objects=n, rank=2, positives=0.3, directed=directed)


def fit_or_refuse(model: Method, data: RelationalData) -> bool:
    """Whether the method supports the data. If not, the error names the kind and the reason."""
    try:
        model.fit(data)
    except DataError as refusal:
        text = str(refusal)
        assert any(relation.kind in text for relation in data.relations), text
        assert len(text.split("expected", 1)[1].split()) > 4, f"no reason is given: {text}"
        return False
    return True

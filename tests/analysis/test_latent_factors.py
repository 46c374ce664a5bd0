"""The factors of every method that has factors add up to its score."""

import numpy as np
import pytest

import mrwtd
from mrwtd.analysis.latent_factors import latent_factors


@pytest.mark.parametrize("name", mrwtd.METHODS)
@pytest.mark.parametrize("data_set", ["florentine", "monastery"])
def test_factors_and_bias_are_the_score(name: str, data_set: str) -> None:
    data = mrwtd.load_dataset(data_set)
    if data_set == "monastery":  # directed, as binary relations
        data = mrwtd.RelationalData(
            data.objects,
            [mrwtd.Relation(relation.name, "binary", True) for relation in data.relations[:2]],
            *(column[data.k < 2] for column in (data.i, data.j, data.k)),
            np.where(data.y[data.k < 2] > 0, 1.0, -1.0),
        )
    parameters = mrwtd.make_method(name).get_params()
    short = {"sweeps": 6, "burn_in": 2, "samples": 2} | ({"ensemble": 1} if name == "MrWTD-E" else {})
    short = {parameter: value for parameter, value in short.items() if parameter in parameters}
    model = mrwtd.make_method(name, rank=2, lam=1.0, **short).fit(data)
    if hasattr(model, "samples_"):
        model.samples_ = model.samples_[-1:]  # the factors are those of one draw
    for relation in data.relations:
        factors = latent_factors(model, relation.name)
        if factors is None:
            assert name in ("Degree", "Common neighbours", "MrWTD-E")
            continue
        entries = data.select_relations([relation.name])
        x = factors.A @ factors.R[relation.name] @ factors.A.T
        left = model.decision_function(entries) - x[entries.i, entries.j]
        assert np.ptp(left) < 1e-8
        assert set(factors.R) == ({r.name for r in data.relations} if factors.shared else {relation.name})

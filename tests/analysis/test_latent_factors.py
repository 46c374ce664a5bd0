"""The factors of every method that has some add up to what it says."""

from __future__ import annotations

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
            [mrwtd.Relation(own.name, "binary", True) for own in data.relations[:2]],
            *(own[data.k < 2] for own in (data.i, data.j, data.k)),
            np.where(data.y[data.k < 2] > 0, 1.0, -1.0),
        )
    short = {"sweeps": 6, "burn_in": 2, "samples": 2} if name in ("BPTF", "BTF", "MrWTD-B") else {}
    model = mrwtd.make_method(name, rank=2, lam=1.0, **short).fit(data)
    if hasattr(model, "samples_"):
        model.samples_ = model.samples_[-1:]  # the factors are those of one draw
    for relation in data.relations:
        found = latent_factors(model, relation.name)
        if found is None:
            assert name in ("Degree", "Common neighbours")
            continue
        own = data.select_relations([relation.name])
        x = found.A @ found.R[relation.name] @ found.A.T
        left = model.decision_function(own) - x[own.i, own.j]
        assert np.ptp(left) < 1e-8
        assert set(found.R) == ({r.name for r in data.relations} if found.shared else {relation.name})

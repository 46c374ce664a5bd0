"""Error bars of an ensemble have their nominal coverage on data simulated from the model."""

import numpy as np
import pytest

from benchmarks.coverage import covered, simulate
from mrwtd import MrWTD
from mrwtd.data.validation import entry_keys


@pytest.mark.parametrize("kind", ["binary", "real"])
@pytest.mark.parametrize("rank", [2, 10])
def test_intervals_of_90_percent_cover_about_90_percent_of_unseen_pairs(kind, rank):
    shares = []
    for seed in range(6):
        data, x = simulate(kind, directed=True, rank=2, seed=seed)
        train, test = data.split(train=0.35, seed=seed)
        keys = (entry_keys(part.i, part.j, part.k, part.n_objects) for part in (data, test))
        model = MrWTD(rank=rank, lam=1.0 if rank == 2 else 3.162, ensemble=12, seed=seed).fit(train)
        shares.append(covered(model, test, x[np.searchsorted(*keys)])[0])
    assert 0.8 <= np.mean(shares) <= 0.97

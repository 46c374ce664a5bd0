"""Draws do not depend on which process has compiled the kernels."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from numba.core.dispatcher import Dispatcher

from mrwtd.bayesian.gibbs import compiled_draws
from mrwtd.model import compiled

# Of rank 3, where LLVM's two copies of a called function rounded differently.
DRAW = """
import hashlib
import numpy as np
import mrwtd
from mrwtd.bayesian.gibbs import compiled_draws
from mrwtd.bayesian.gibbs.bilinear_draws import Meetings, draw_rows
from mrwtd.bayesian.gibbs.row_priors import Rows

data, rng = mrwtd.load_dataset("florentine"), np.random.default_rng(0)
n, r, ones = data.n_objects, 3, np.ones(len(data))
A, R = rng.normal(size=(n, r)), rng.normal(size=(data.n_relations, r, r))
rows, noise = Rows(np.zeros((1, r)), np.eye(r)), rng.normal(size=(n, r))
draw_rows(Meetings.of(data), ones, data.y, R, rows, noise, rng.random((n, 2)), A, np.zeros(n, dtype=np.int64))
print(hashlib.sha256(A).hexdigest(), sum(compiled_draws.bilinear_rows.stats.cache_hits.values()))
"""


def draw(cache: Path) -> tuple[str, int]:
    """The hash of the rows that a new process draws, and how many kernels it loaded from the cache."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", DRAW], env=environment, capture_output=True, text=True, check=True)
    digest, hits = done.stdout.split()
    return digest, int(hits)


def test_a_process_that_compiles_draws_the_same_as_one_that_loads(tmp_path):
    first, compiled_hits = draw(tmp_path)
    again, loaded_hits = draw(tmp_path)
    assert (compiled_hits, loaded_hits) == (0, 1)
    assert again == first


@pytest.mark.parametrize("module", [compiled, compiled_draws])
def test_kernels_call_inlined_functions_only(module: ModuleType):
    kernels = [value for value in vars(module).values() if isinstance(value, Dispatcher)]
    assert kernels
    for kernel in kernels:
        called = [vars(module).get(name) for name in kernel.py_func.__code__.co_names]
        for function in called:
            assert not isinstance(function, Dispatcher) or function.targetoptions.get("forceinline"), function

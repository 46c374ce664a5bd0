from collections.abc import Iterator

import pytest
from distributed import LocalCluster


@pytest.fixture(scope="package")
def cluster() -> Iterator[LocalCluster]:
    """A Dask cluster of two worker processes with one thread each: some tests kill a worker."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as local_cluster:
        yield local_cluster

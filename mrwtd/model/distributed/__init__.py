"""One fit on several machines: partitions, workers, and the Dask client."""

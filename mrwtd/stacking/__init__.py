"""MrWTD-E: the weighted mean of ensembles of MrWTD with several losses, samplers and simple baselines."""

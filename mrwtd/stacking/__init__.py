"""MrWTD-E: the weighted mean of ensembles of MrWTD with several losses and of samplers."""

"""Experiments on any data set, such as the user's own: learning curve, ranks, values of λ, and time.

An experiment is a module in this folder that registers a `Template` in `DATA_EXPERIMENTS`. `template.on(data)` is an
`Experiment` like those of the paper: it runs, resumes, and writes the same files.
"""

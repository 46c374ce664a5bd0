"""The experiments of the paper, by name: `synth`, `real`, `rank` and `timing`.

An experiment is a module in this folder that registers an `Experiment` in `EXPERIMENTS`. The command line, the
dashboard and the tests read it from there. `DATA_EXPERIMENTS` has those that run on any data set.
"""

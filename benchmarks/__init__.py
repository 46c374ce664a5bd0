"""Benchmarks of speed and accuracy, run by hand, with their results in `results`."""

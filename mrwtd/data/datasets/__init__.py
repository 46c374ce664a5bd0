"""Data sets by name: samples, synthetic data, and loaders for the MIT data sets."""

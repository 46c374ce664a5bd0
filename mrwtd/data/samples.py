"""The data sets that come with the package, by name."""


def list_datasets():
    raise SystemExit


load_dataset = list_datasets

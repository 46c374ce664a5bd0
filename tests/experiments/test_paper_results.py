"""A sample of the paper's numbers, typed from its appendix by hand."""

import pytest

from mrwtd.experiments.paper_results import FRACTIONS, KEYS, METHODS, paper_results


@pytest.mark.parametrize(
    ("experiment", "data", "kind", "train", "method", "mean", "sd", "tied"),
    [
        ("synth", "Synth-B", "binary", 0.03, "MMMF", 0.13, 0.04, True),
        ("synth", "Synth-B", "binary", 0.25, "MrWTD-L", 0.93, 0.00, True),
        ("synth", "Synth-M", "binary", 0.10, "BPTF", 0.57, 0.02, True),
        ("synth", "Synth-M", "real", 0.05, "MMMF+", 0.12, 0.07, True),
        ("synth", "Synth-M", "real", 0.10, "MrWTD-H", 0.04, 0.00, False),
        ("real", "Kinship", "binary", 0.15, "MrWTD-H", 0.42, 0.24, False),
        ("real", "Reality Mining", "binary", 0.20, "MrWTD-L", 0.29, 0.08, True),
        ("real", "Social Evolution", "binary", 0.25, "BPTF", 0.63, 0.01, True),
    ],
)
def test_accuracy(experiment, data, kind, train, method, mean, sd, tied):
    table = paper_results(experiment)
    rows = table[
        (table["data"] == data) & (table["kind"] == kind) & (table["train"] == train) & (table["method"] == method)
    ]
    assert rows[["mean", "sd", "tied"]].to_numpy().tolist() == [[mean, sd, tied]]
    assert rows["rank"].item() == (10 if experiment == "synth" else 20)


@pytest.mark.parametrize(
    ("method", "n", "mean", "sd"), [("RESCAL-signs", 8000, 332.77, 40.88), ("BPTF", 2000, 25.47, 1.57)]
)
def test_seconds(method, n, mean, sd):
    table = paper_results("timing")
    (row,) = table[(table["method"] == method) & (table["n_objects"] == n)].to_dict("records")
    assert (row["mean"], row["sd"]) == (mean, sd)


def test_the_tables_are_complete():
    for experiment in ("synth", "real"):
        table = paper_results(experiment)
        assert not table.duplicated(list(KEYS)).any()
        sizes = table.groupby(["data", "kind"]).size()
        assert (sizes == len(METHODS) * len(FRACTIONS)).all()
        assert len(sizes) == 3
        assert table.groupby(["data", "kind", "train"])["tied"].any().all(), "every row has a best"
    timing = paper_results("timing")
    assert timing.groupby("method").size().to_dict() == {"BPTF": 3, "MrWTD-H": 5, "RESCAL-signs": 5}

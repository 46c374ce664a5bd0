"""Features that distinguish a group."""

import re

import numpy as np
import pandas as pd

import mrwtd
from mrwtd.analysis.groups import distinguishing_features


def crowd() -> mrwtd.RelationalData:
    """Six objects: the first three know one another, and are tall and red; age does not differ."""
    i, j = np.triu_indices(6, 1)
    attributes = pd.DataFrame(
        {
            "colour": ["red", "red", "red", "blue", "blue", None],
            "height": [3.0, 3.1, 2.9, 1.0, 1.1, 0.9],
            "age": [1.0, 2.0, 3.0, 1.0, 2.0, 3.0],
        },
        index=list("abcdef"),
    )
    relation = mrwtd.Relation("knows", "binary", False)
    return mrwtd.RelationalData("abcdef", [relation], i, j, 0 * i, np.where(j < 3, 1.0, -1.0), attributes=attributes)


def test_only_features_that_differ_are_listed() -> None:
    points = np.array([[1.0, 0.0]] * 3 + [[-1.0, 0.0]] * 3)
    features = distinguishing_features(crowd(), points, [0, 1, 2], top=10)
    assert set(features["feature"]) == {"colour: red", "height", "knows", "factor 1"}
    descriptions = dict(zip(features["feature"], features["description"], strict=True))
    assert re.findall(r"\d+%", descriptions["knows"]) == ["100%", "0%"]
    assert re.findall(r"\d+", descriptions["height"]) == ["3", "1"]
    assert re.findall(r"high|low|[+−][\d.]+", descriptions["factor 1"]) == ["high", "+1.00", "−1.00"]
    assert features["strength"].abs().is_monotonic_decreasing


def test_the_complement_differs_in_the_opposite_direction() -> None:
    points = np.array([[1.0]] * 3 + [[-1.0]] * 3)
    features = distinguishing_features(crowd(), points, [3, 4, 5], top=10).set_index("feature")
    assert "low" in features.loc["factor 1", "description"]
    assert features.loc["height", "strength"] < 0


def test_empty_and_complete_groups_have_no_distinctive_features() -> None:
    for members in ([], range(6)):
        assert distinguishing_features(crowd(), np.zeros((6, 2)), list(members)).empty


def test_every_kind_of_relation_is_described() -> None:
    data = mrwtd.load_dataset("synth-kinds")
    features = distinguishing_features(data, np.zeros((data.n_objects, 1)), np.arange(30), top=50)
    assert set(features["feature"]) <= {relation.name for relation in data.relations}

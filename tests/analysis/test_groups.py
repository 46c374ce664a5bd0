"""What sets a group apart."""

import numpy as np
import pandas as pd

import mrwtd
from mrwtd.analysis.groups import distinguishing_features


def crowd() -> mrwtd.RelationalData:
    """Six objects: the first three know one another, and are tall and red; age tells nothing."""
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
    words = dict(zip(features["feature"], features["description"], strict=True))
    assert words["knows"] == "knows ties 100% of the known pairs among themselves, and 0% of the others."
    assert words["height"] == "height is 3 on average, and 1 for the others."
    assert words["factor 1"] == "Factor 1 is high: +1.00 on average, and −1.00 for the others."
    assert features["strength"].abs().is_monotonic_decreasing


def test_the_others_have_the_opposite() -> None:
    points = np.array([[1.0]] * 3 + [[-1.0]] * 3)
    features = distinguishing_features(crowd(), points, [3, 4, 5], top=10).set_index("feature")
    assert "low" in features.loc["factor 1", "description"]
    assert features.loc["height", "strength"] < 0


def test_nobody_and_everybody_have_nothing_that_sets_them_apart() -> None:
    for members in ([], range(6)):
        assert distinguishing_features(crowd(), np.zeros((6, 2)), list(members)).empty


def test_every_kind_of_relation_is_described() -> None:
    data = mrwtd.load_dataset("synth-kinds")
    features = distinguishing_features(data, np.zeros((data.n_objects, 1)), np.arange(30), top=50)
    assert set(features["feature"]) <= {relation.name for relation in data.relations}

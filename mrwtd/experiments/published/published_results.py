"""Numbers that others published on Kinship, UMLS and Nations, each with its source."""

from collections.abc import Mapping
from dataclasses import dataclass

CONVE = "T. Dettmers, P. Minervini, P. Stenetorp and S. Riedel, README of TimDettmers/ConvE"
DICE = "README of dice-group/dice-embeddings"
GRAPH4NLP = "README of graph4ai/graph4nlp"
RESCAL_2011 = "M. Nickel, V. Tresp and H.-P. Kriegel (2011), as cited in the README of gzupanda/HRESCAL"
BORDES_2014 = "A. Bordes, X. Glorot, J. Weston and Y. Bengio (2014)"
JENATTON_2012 = "R. Jenatton, N. Le Roux, A. Bordes and G. Obozinski (2012)"


@dataclass(frozen=True)
class Published:
    """The numbers of one method on one data set.

    Attributes:
        data: the name of the data set.
        method: the name of the method.
        scores: the number of each metric.
        source: who published it.
        checked: whether the number was read there; others are as they are usually cited.
    """

    data: str
    method: str
    scores: Mapping[str, float]
    source: str
    checked: bool = True


def _ranks(mrr: float, *hits: float | None) -> dict[str, float]:
    named = {"mrr": mrr, **dict(zip(("hits@1", "hits@3", "hits@10"), hits, strict=True))}
    return {metric: value for metric, value in named.items() if value is not None}


RANKING = (
    Published("kinship", "ConvE", _ranks(0.83, 0.73, 0.91, 0.98), CONVE),
    Published("kinship", "GCN + ComplEx", _ranks(0.827, 0.739, None, 0.980), GRAPH4NLP),
    Published("umls", "ConvE", _ranks(0.94, 0.92, 0.97, 0.99), CONVE),
    Published("umls", "ComplEx, AllvsAll + ASWA", _ranks(0.877, 0.819, 0.924, 0.971), DICE),
    Published("umls", "ComplEx, KvsAll", _ranks(0.680, 0.563, 0.750, 0.918), DICE),
    Published("nations", "ConvE", _ranks(0.82, 0.72, 0.88, 1.00), CONVE),
)
"""Filtered ranks of the test ties of the standard split, both sides."""

AUC_PR = tuple(
    Published(data, method, {"auc_pr": score}, source, checked)
    for method, scores, source, checked in (
        ("IRM", (0.66, 0.70, 0.75), RESCAL_2011, True),
        ("CP", (0.94, 0.95, 0.83), RESCAL_2011, True),
        ("BCTF", (0.90, 0.98, None), RESCAL_2011, True),
        ("RESCAL", (0.95, 0.98, 0.84), RESCAL_2011, True),
        ("SME", (0.907, 0.983, 0.883), BORDES_2014, False),
        ("LFM", (0.946, 0.990, 0.909), JENATTON_2012, False),
    )
    for data, score in zip(("kinship", "umls", "nations"), scores, strict=True)
    if score is not None
)
"""Areas under one precision–recall curve of all relations, by 10-fold cross-validation over all cells."""

"""The numbers that the paper prints, from the tables of its appendix: `paper.csv` beside this file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

FILE = Path(__file__).parent / "paper.csv"

METHODS = ("RESCAL", "MMMF", "MMMF+", "BPTF", "MrWTD-Q", "MrWTD-H", "MrWTD-L")
"""The paper's methods, in the order of its columns."""

ALL_METHODS = (*METHODS, "BTF")
"""The methods of the full tables: the paper's, and BTF, the comparison that its authors left open."""

FRACTIONS = (0.03, 0.05, 0.10, 0.15, 0.20, 0.25)
"""The paper's training sizes."""

KEYS = ("data", "kind", "metric", "train", "rank", "n_objects", "method")
"""What tells numbers apart; `n_objects` is 0 where the size of the data is not what varies."""


@cache
def _all() -> pd.DataFrame:
    table = pd.read_csv(FILE)
    return table.assign(n_objects=table["n_objects"].fillna(0).astype(int), tied=table["tied"].eq(1))


def paper_results(experiment: str) -> pd.DataFrame:
    """What the paper prints for one of its experiments: a row a number.

    The second row group of its synthetic table is captioned binary, and is the binary slice of Synth-M.

    >>> table = paper_results("real").query("data == 'Kinship' and train == 0.25 and method == 'MrWTD-H'")
    >>> table[["mean", "sd", "tied"]]
        mean    sd  tied
    40   0.7  0.01  True
    """
    table = _all()
    return table[table["experiment"] == experiment].drop(columns="experiment").reset_index(drop=True)

"""The numbers of the paper, from the tables of its appendix: `paper.csv` in this folder."""

from pathlib import Path

import pandas as pd

FILE = Path(__file__).parent / "paper.csv"

METHODS = ("RESCAL-signs", "MMMF", "MMMF+", "BPTF", "MrWTD-Q", "MrWTD-H", "MrWTD-L")
"""The paper's methods, in the order of its columns."""

ALL_METHODS = (*METHODS, "BTF")
"""The methods of the full tables: the paper's, and BTF, a comparison that the paper leaves open."""

FRACTIONS = (0.03, 0.05, 0.10, 0.15, 0.20, 0.25)
"""The paper's training fractions."""

KEYS = ("data", "kind", "metric", "train", "rank", "n_objects", "method")
"""The columns that identify a number; `n_objects` is 0 if the size of the data does not vary."""


def paper_results(experiment: str) -> pd.DataFrame:
    """The numbers of the paper for one of its experiments: one row per number.

    The second row group of its synthetic table has the caption binary, and is the binary relation of Synth-M.

    >>> table = paper_results("real").query("data == 'Kinship' and train == 0.25 and method == 'MrWTD-H'")
    >>> table[["mean", "sd", "tied"]]
        mean    sd  tied
    40   0.7  0.01  True
    """
    table = pd.read_csv(FILE)
    table = table.assign(n_objects=table["n_objects"].fillna(0).astype(int), tied=table["tied"].eq(1))
    return table[table["experiment"] == experiment].drop(columns="experiment").reset_index(drop=True)

"""The texts of the Experiments page."""

from __future__ import annotations

from collections.abc import Iterable

EXPERIMENT_HELP = "The experiments of the paper."
SIZE_HELP = "Quick takes a minute or two. Full is as in the paper, and can take hours."
SPLITS_HELP = "The number of random splits for each point."
METHODS_HELP = "The methods to fit and compare."
AXIS_HELP = "The points along the horizontal axis."

RUNNING = "It continues while you visit other pages. The sidebar shows how far it is."
PAPER_LABEL = "Show the paper's numbers"
PAPER_HELP = "As open diamonds in the figure, and as a second row in the table"
FIRST_FITS = "The first fits are running. Curves appear here fit by fit."
NOTHING_YET = "No fit is finished yet. Run the experiment, and curves appear here fit by fit."
RUN_AGAIN = "Curves appear here once the experiment has run again."
LAM_TITLE = "The search for λ: held-out score along the path"
LAM_CAPTION = "λ is the strength of the regularisation. The scores are those of held-out training entries."


def other_version(n_fits: int, versions: Iterable[str], current: str) -> str:
    """A warning that stored fits were made with another version of the code."""
    return (
        f"{n_fits} of the stored fits were made with another version of mrwtd ({', '.join(versions)}). This is version "
        f"{current}. A table never mixes versions."
    )

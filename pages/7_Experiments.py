"""The Experiments page: the experiments of the paper, next to the paper's numbers."""

from mrwtd.dashboard.pages import experiments
from mrwtd.dashboard.shell.page import page

ICON = ":material/science:"

with page("Experiments"):
    experiments.render()

"""The paper's experiments: accuracy, rank, time and memory, beside the paper's own numbers."""

from mrwtd.dashboard.pages import experiments
from mrwtd.dashboard.shell.page import page

ICON = ":material/science:"

with page("Experiments"):
    experiments.render()

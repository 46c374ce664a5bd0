"""The Embedding page: the objects as points, the factors, and a replay of the training."""

from mrwtd.dashboard.pages import embedding
from mrwtd.dashboard.shell.page import page

ICON = ":material/scatter_plot:"

with page("Embedding"):
    embedding.render()

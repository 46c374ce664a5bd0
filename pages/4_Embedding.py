"""The objects as points: who is near whom, what the factors mean, and how the model came to it."""

from mrwtd.dashboard.pages import embedding
from mrwtd.dashboard.shell.page import page

ICON = ":material/scatter_plot:"

with page("Embedding"):
    embedding.render()

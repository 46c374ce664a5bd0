"""Choose or upload a data set, and see which relations it holds and what they look like."""

from mrwtd.dashboard.pages import data
from mrwtd.dashboard.shell.page import page

ICON = ":material/database:"

with page("Data") as settings:
    data.render(settings)

"""The Data page: choose or upload a data set, and look at its relations."""

from mrwtd.dashboard.pages import data
from mrwtd.dashboard.shell.page import page

ICON = ":material/database:"

with page("Data") as settings:
    data.render(settings)

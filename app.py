"""The Start page: what mrwtd does, a finished result, and samples to try."""

from mrwtd.dashboard.pages import start
from mrwtd.dashboard.shell.page import page

ICON = ":material/home:"

with page("Start"):
    start.render()

"""What this is, a finished result, and samples to begin with."""

from mrwtd.dashboard.pages import start
from mrwtd.dashboard.shell.page import page

ICON = ":material/home:"

with page("Start"):
    start.render()

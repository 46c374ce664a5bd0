"""Six short lessons, with live numbers: how it works, and why."""

from mrwtd.dashboard.pages import learn
from mrwtd.dashboard.shell.page import page

ICON = ":material/school:"

with page("Learn") as settings:
    learn.render(settings)

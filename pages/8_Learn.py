"""The Learn page: six short lessons with live numbers."""

from mrwtd.dashboard.pages import learn
from mrwtd.dashboard.shell.page import page

ICON = ":material/school:"

with page("Learn") as settings:
    learn.render(settings)

"""The Network page: known, predicted and missed ties of a relation as a network."""

from mrwtd.dashboard.pages import network
from mrwtd.dashboard.shell.page import page

ICON = ":material/hub:"

with page("Network"):
    network.render()

"""See what is known, predicted and missed of a relation, as a network."""

from mrwtd.dashboard.pages import network
from mrwtd.dashboard.shell.page import page

ICON = ":material/hub:"

with page("Network"):
    network.render()

"""The Train page: choose methods, the loss of each relation, the rank and λ, and train."""

from mrwtd.dashboard.pages import train
from mrwtd.dashboard.shell.page import page

ICON = ":material/bolt:"

with page("Train") as settings:
    train.render(settings)

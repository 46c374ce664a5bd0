"""Which method is best, where, and why: curves, a table, two runs, losses, phantom zeros, mistakes."""

from mrwtd.dashboard.pages import compare
from mrwtd.dashboard.shell.page import page

ICON = ":material/compare_arrows:"

with page("Compare"):
    compare.render()

"""The Compare page: which method is best, where, and why."""

from mrwtd.dashboard.pages import compare
from mrwtd.dashboard.shell.page import page

ICON = ":material/compare_arrows:"

with page("Compare"):
    compare.render()

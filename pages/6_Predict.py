"""The Predict page: two objects, the best unknown pairs, or a new object."""

from mrwtd.dashboard.pages import predict
from mrwtd.dashboard.shell.page import page

ICON = ":material/quiz:"

with page("Predict"):
    predict.render()

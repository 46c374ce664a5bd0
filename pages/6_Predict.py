"""Ask about two objects, the likeliest unknown ties, or somebody new."""

from mrwtd.dashboard.pages import predict
from mrwtd.dashboard.shell.page import page

ICON = ":material/quiz:"

with page("Predict"):
    predict.render()

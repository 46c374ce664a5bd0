"""The texts of the Network page. Braces are filled in by `str.format`."""

from ....analysis.edges import OUTCOMES

# Menus
SECOND_HELP = "A second method or loss on the same layout, so that positions can be compared."
OBJECT_HELP = "An object and its neighbours. You can also click a node."
DEPTH_HELP = "How much is shown around an object. 1: its neighbours. 2: their neighbours too."
LAYOUT_HELP = "Spring: ties attract. Spectral: by eigenvectors of the ties. Embedding: by the factors of the model."
NAMES_HELP = "Whether names are written beside nodes."
OVERLAY_HELP = "Draw further relations, each in its own colour and at its default threshold."

# Threshold and curve
KINDS = {"ordinal": "a scale of levels", "count": "a count", "real": "a number"}
TIE_HELP = (
    "This relation is {kind}: pairs with such a value are edges, and pairs with a high score are predicted edges."
)
THRESHOLD_HELP = (
    "Pairs with at least this score are predicted ties. The default gives the fraction of ties in training."
)
NO_CURVE = "There is no curve: the held-out pairs are all ties, or all non-ties."
CURVE_CAPTION = "Legend: AUPRC, the area under the curve. Guessing: the fraction of ties."
ALL_ENTRIES = " For all test entries; Train and Compare score a sample."
COUNTS = "Hits: {c.hits:,.0f}, false alarms: {c.false_alarms:,.0f}, missed: {c.misses:,.0f}; precision {p}, recall {r}."
COUNTS_HELP = "Precision: the fraction of predicted ties that are true. Recall: the fraction of true ties predicted."
HELD_OUT = "For the held-out pairs.{how} The threshold moves the point along the curve."
SECOND_THRESHOLD = " {method} predicts as many of them, at its score {threshold}."

# Picture
ONE_STEP, TWO_STEPS = "**{name}** and its neighbours.", "**{name}**, its neighbours and their neighbours."
GROUP = "A group of {count} with its neighbours: {names}"
NOT_DRAWN = "{count:,} edges are not drawn; the files have all of them."
OVERLAID = "Known ties are solid, predicted ones dashed, missed ones dotted."
HOW_TO_MOVE = "Zoom with the wheel, move by dragging. The legend hides edges, the arrow saves a PNG."
LEGEND = "; ".join(f"**{name}**: {meaning}" for name, meaning in OUTCOMES.items()) + "."
BEST_ONLY = "With {objects:,} objects, only the best {top:,} predictions that cannot be checked are listed."
NO_RANKING = " A method without factors cannot rank pairs that are not in the data."
NO_FILE = "Not possible for this data: {reason}"
CLICK = "Click an edge to see why it is predicted, or a node to see its neighbourhood."

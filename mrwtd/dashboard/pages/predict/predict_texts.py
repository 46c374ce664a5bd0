"""The texts of the Predict page. Braces are filled in by `str.format`."""

from ....analysis.reliability import RELIABILITY_HELP

# Shared by sections
QUESTION = "What do you want to know?"
QUESTION_HELP = "How two objects relate, which unknown ties are likely, or how a new object fits in."
SAMPLED = "Probabilities hold for all pairs, listed or not, and are {estimated}."
TRUST = f"⚠: check before use. {RELIABILITY_HELP}"
SCORE_HELP = "The method ranks pairs by this number"
PREDICTION_HELP = "Probability of a tie, or the value in the relation's unit; ± one standard deviation if available"
KNOWN_HELP = "The value in the data, and whether the model was trained on it"
NO_ERROR_BARS = "{method} has no error bars: use an ensemble of MrWTD (2 or more) or a Bayesian method."
FEW_ENTRIES = "It may be too small: there are few training entries for this rank."

# Two objects
SAME_OBJECT = "Choose two different objects."

# Best unknown pairs
WITH_HELP = "Only pairs with an object whose name contains this text."
TOP_HELP = "How many pairs to list."
PART = "Leave out"
PART_HELP = (
    "Without training entries, the list has held-out pairs, whose true value is known, and {count:,} unknown pairs."
)
ALL_KNOWN = "Every pair of this relation is known. Leave out only training entries to see held-out pairs."
NOTHING_UNKNOWN = "Every pair of this relation is a training entry, so there is no unknown pair."
NO_PAIRS = "No pair matches: remove a filter or list more pairs."
BEST_CAPTION = "{count:,} pairs. Click a column to sort. {bars}"

# A new object
NAME = "New object"
NAME_HELP = "The name of the new object."
TABLE_CAPTION = (
    "One row per known relationship; in a binary relation 1 is a tie and 0 none. These rows determine the factors of "
    "the new object. The factors of other objects do not change."
)
NO_ROWS = "Enter a relationship with an object of this data set."
CANNOT_ADD = "{method} cannot add new objects."
VALUE_HELP = "Binary relations: 1 is a tie, −1 or 0 is none. Others: the value in the relation's unit"
WAY_HELP = "From the new object to the other one, or the other way round"
TYPE_HELP = "The type of the new object. Only objects that this type can have relationships with are offered."
NO_RELATIONSHIPS = "This relation connects {} to {}. Choose another relation, or another type."
IMPOSSIBLE_ROWS = ":orange[Not possible for type {kind}, ignored: {names}.]"
UNKNOWN_NAMES = ":orange[Not in this data set, ignored: {names}.]"

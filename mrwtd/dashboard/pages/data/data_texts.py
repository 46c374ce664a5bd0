"""The texts of the Data page."""

from collections.abc import Mapping
from typing import Any

from ....data.schema import DECLARED
from ....data.transform import TRANSFORMS
from ...widgets.formatting import summarize_names

RELATIONS_ALT = "The relations of the data set: kind, direction, reciprocity, entries, values, fraction unknown"

UPLOAD_TITLE = "Upload your data"
FORMATS = (
    "Lists and matrices (CSV, TSV, Excel, Parquet, MATLAB, NumPy, .mtx), graphs (GraphML, GEXF, GML, JSON, Gephi, "
    "Pajek, UCINET, multinet, GDF, VNA, SIF, NCOL, DOT, RDF), contacts, KONECT, SNAP; also published splits and zips."
)
TEMPLATE_HELP = "Four example rows: one row per pair, with a column for the relation"
RELATIONS_LABEL = "Relations: one file, or several that belong together"
ATTRIBUTES_LABEL = "Attributes of the objects (optional)"
ATTRIBUTES_HELP = (
    "A CSV file or an Excel sheet: first the object, then attributes such as group, used for colour and order"
)
FIX_FILE = "Fix the file and upload it again."
FIX_FILE_OR_FORMAT = "Fix the problems listed and upload again, or choose another format."
FIX_FILE_OR_OPTIONS = "Change the options above, or fix the file and upload it again."
IN_USE = "In use until then: {}"
STILL_IN_USE = "Your previous data set is still in use."
PERIODS_HELP = "Cuts the time into periods of equal length. Each becomes a relation that counts the contacts in it"
USE = "Use this data"
EDIT = "Change how it is read"
EDIT_HELP = "Change kinds, directions, unlisted pairs, names of relations, attributes"
EDIT_COPY_HELP = "Makes a copy of your own: kinds, directions, unlisted pairs, names of relations, attributes"
EDITING = "Change how **{}** is read"
APPLY = "Use the changed data"
RUNS_STAY = "{} made from this data set: the data set stays in the list with them, and the changed data is added."
TAKES_ITS_PLACE = "The changed data takes the place of this data set."
NAME_HELP = "Another name for the relation. Double-click to change it"
WEIGHT_HELP = "How much the entry counts in training; 1 is the default"

UPLOAD_FILES, TYPE_TITLE = "Upload files", "Type or paste a small network"
TYPED_HELP = "One row per tie. Rows copied from a spreadsheet can be pasted. Empty rows are ignored."
TYPED_EXAMPLE = "Example"
TYPED_COLUMNS = {
    "source": "The object that the tie comes from",
    "relation": "The kind of tie; empty in all rows for one relation",
    "target": "The object that the tie goes to",
    "value": "1 for a tie, 0 for no tie, or a number; empty in all rows if each row is a tie",
}
FIX_ROWS = "Change the rows listed."

CHOOSE_COLUMNS = "Choose columns"
CHOOSE_COLUMNS_HELP = "Shows the first rows of the file with a menu above each column, which says what the column is"
NOT_RECOGNIZED = "The columns were not recognized: {}. Choose what each column is."
DOUBTFUL = "The columns have no names, and what they are is a guess. Check the menus."
NO_ENDS = "Choose a column for the source and one for the target."
MORE_COLUMNS = "Columns"
HEADER_LABEL = "First row has names"
ROLES = {
    "": "ignore", "source": "source", "target": "target", "relation": "relation", "value": "value", "weight": "weight",
    "time": "time", "source_attributes": "attribute of source", "target_attributes": "attribute of target",
}  # fmt: skip
"""What a column can be: the key in `columns` of `mrwtd.read`, and its label."""

DUPLICATES = {"error": "refuse them", "mean": "use their mean", "max": "use the largest (max)", "last": "use the last"}
"""Ways to read pairs that are listed with different values."""

SAMPLED = "no tie (sampled)"
UNLISTED: dict[str, str | int] = {"unknown": "unobserved", "no tie, or 0": "negative", SAMPLED: 5}
"""What unlisted pairs can mean, and the value of the argument `absent` of `mrwtd.read`; 5 is where sampling starts."""

SAMPLED_PAIRS = (
    "{sampled:,} sampled pairs represent {represented:,.0f} unlisted pairs. The values above are those of the entries; "
    "scores and probabilities are estimated from the sampled pairs, for all pairs."
)
SAMPLED_PER_TIE = "Sampled pairs per tie"
SAMPLED_HELP = "How many unlisted pairs are drawn at random for each tie and read as no tie"
LEAVE_AS_IS = "leave as is"
FOR_ALL_HELP = (
    "Sets the column of the table for all relations. It is empty if they differ; clear it to restore the guesses"
)

DIRECTED_HELP = "Whether a → b differs from b → a. Untick it if mutual ties are listed in one direction only"
UNLISTED_HELP = "This is never guessed: only you know whether a pair was left out because there is no tie"

ORDER_NAMES = {"alike": "similar together", "listed": "as listed"}
ORDER_HELP = "Similar together: objects with ties to the same others, over all relations, are next to each other."
SIMILARITY_ALT = "Correlation between relations, over the pairs that are known in both"

MIT_TITLE = "MIT Reality Mining and Social Evolution"
MIT_TERMS = (
    "The terms of use do not allow us to share the files. Apply for them at "
    "[realitycommons.media.mit.edu](http://realitycommons.media.mit.edu), then upload the zip file or its files here."
)

IN_TRAINING = "A training uses this data set. Wait until it ends, or cancel it, before you remove the data set."
REMOVAL = "**{}** will be removed permanently from this server."
REMOVAL_OF_RUNS = (
    "So will {} made from it. To keep a run, first export it from the history. The export includes the data."
)

LOOKS_LIKE_ATTRIBUTES = "{} looks like a list of objects with attributes. If so, upload it in the attributes field."
ONLY_TIES = "Only ties are listed in {}. A model also needs pairs without a tie: choose above what unlisted pairs are."

ROWS_ARE_SOURCES = "Each row is a source, each column a target. Grey: unknown."
ROWS_ARE_BLOCKS = "Each row stands for {} sources, each column for {} targets. Grey: unknown."
ROWS_HAVE_TYPE = " Sources are of type {}, targets of type {}."
OBJECTS_BY_TYPE = "Types of objects: {}. A relation has ties only between the types that it connects."
CONNECTS_HELP = "The types of source and target. Pairs of other types do not exist"
BOTH_DIRECTIONS = " Ties from and to an object are counted together."
ANY_VALUE = " A tie is any known value other than 0."
SIMILARITY = (
    "{} blue: pairs with a tie (or a larger value) in one relation tend to have one in the other. Orange: they tend "
    "not to. Grey: too few pairs are known in both, or one relation is constant there."
)


SELF_PAIRS = {
    "auto": "left out if they are all the same",
    "keep": "keep them as entries",
    "drop": "drop them",
}
"""What happens to pairs of an object with itself, by the value of the argument `self_pairs` of `mrwtd.read`."""

DETECTED_TYPES = {True: "detected: two types (two-mode)", False: "detected: one type"}
TWO_MODE = {
    "yes": "two types: sources and targets (two-mode)",
    "no": "one type",
}
"""Whether sources and targets are different types of objects."""


def reasons(kind: str, directed: str) -> str:
    """Why a relation has its kind and its direction, in one cell.

    >>> reasons("all values are 1", DECLARED), reasons(DECLARED, DECLARED)
    ('all values are 1; direction declared in the file', 'kind and direction declared in the file')
    """
    if kind == directed == DECLARED:
        return f"kind and direction {DECLARED}"
    parts = {"kind": kind, "direction": directed}
    return "; ".join(f"{name} {reason}" if reason == DECLARED else reason for name, reason in parts.items())


def choice_notes(options: Mapping[str, Any]) -> list[str]:
    """The user's choices for an upload, one line each, from the arguments of `mrwtd.read`.

    >>> choice_notes({"absent": "negative", "kinds": {"calls": "real"}})
    ['calls: read as real, as you chose', 'all relations: unlisted pairs are read as no tie, as you chose']
    >>> choice_notes({"absent": {"helps": 5}, "duplicates": "max"})
    ['helps: 5 random unlisted pairs per tie are read as no tie, as you chose',
     'pairs listed with different values: use the largest (max), as you chose']
    """
    notes = [f"{old}: renamed to {new}" for old, new in _by_value(options.get("rename", {}))]
    notes += [f"{names}: read as {kind}" for names, kind in _by_value(options.get("kinds", {}))]
    for names, transform in _by_value(options.get("transform", {})):
        formula = TRANSFORMS[transform].formula if transform in TRANSFORMS else transform
        notes.append(f"{names}: {formula} is used in place of the value y")
    for names, directed in _by_value(options.get("directed", {})):
        notes.append(f"{names}: read as {'directed' if directed else 'undirected'}")
    for names, meaning in _by_value(options.get("absent", {})):
        pairs = "unlisted pairs" if meaning == "negative" else f"{meaning} random unlisted pairs per tie"
        notes += [f"{names}: {pairs} are read as no tie"] if meaning != "unobserved" else []
    if "periods" in options:
        notes.append(f"the time is cut into {options['periods']} periods")
    if "self_pairs" in options:
        notes.append(f"self-pairs: {SELF_PAIRS[options['self_pairs']]}")
    if "two_mode" in options:
        notes.append(f"objects: {TWO_MODE['yes' if options['two_mode'] else 'no']}")
    if "duplicates" in options:
        how = options["duplicates"]
        notes.append(f"pairs listed with different values: {DUPLICATES.get(how, how)}")
    return [f"{note}, as you chose" for note in notes]


def _by_value(choices: Any) -> list[tuple[str, Any]]:
    """The names with each value, in short, and the value: a choice for all relations is one line, not hundreds."""
    choices = choices if isinstance(choices, Mapping) else {"all relations": choices}
    values = list(dict.fromkeys(choices.values()))
    return [(summarize_names([name for name in choices if choices[name] == value]), value) for value in values]

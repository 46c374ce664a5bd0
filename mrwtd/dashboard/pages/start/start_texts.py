"""The texts of the Start page."""

TITLE = "Relations of many kinds, learned together"

INTRODUCTION = (
    "People, places and concepts are often related in several ways at once, and many of these relations are only "
    "partly known. **mrwtd** learns a few hidden factors per object from all relations together. Each relation has "
    'its own loss, and "unknown" is never treated as "no". The factors then predict what is missing.'
)

PICTURE_ALT = (
    "Each relation X is about φ of A times R times A transposed, plus b: one A for all relations, one R per relation"
)

SAMPLES_TITLE = "Try a sample: one click trains and compares"
SIZE_HELP = "Objects are people, places or things; a relation is one kind of tie; an entry is a pair with a known value"
SAMPLES_HELP = f"{SIZE_HELP}. The methods learn from some of the entries. The others test the predictions."

STORED_RUN = "A stored run."

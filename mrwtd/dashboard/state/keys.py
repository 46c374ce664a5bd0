"""The names under which things stand in Streamlit's session: all of them, once."""

SETTINGS = "settings"
"""What the visitor has chosen: a `Settings`."""

QUERY_PARAMS = "address"
"""The parameters of the address as this session last wrote or read them."""

CHANGED = "changed"
"""There while settings have changed and the address does not say so yet."""

MESSAGES, SUCCESSES = "notes", "good-notes"
"""Sentences to show on top of the page, and since when; and those of them that tell of a success."""

USER = "visitor"
"""The unguessable id of the visitor's workspace."""

MOBILE = "telephone"
"""The component that shuts the menu there."""

COOKIE, COOKIE_SINCE, COOKIE_REFUSED = "cookie", "asked", "refused"
"""The component that keeps that id in the browser, since when it is asked to, and whether it has refused."""

PICK = "pick-"
"""Begins the key of a widget that shows a setting; the setting's name follows."""

SPAN = "span-"
"""Begins the key of the range of a slider; the setting's name follows."""

FILE = "file"
"""Begins the key of the widget that takes a visitor's files; what follows is new after each upload that is used."""

UPLOADS = "uploads"
"""How many uploads were used."""

DROPPED = "dropped"
"""The files that were dropped and not used yet, by the key of their field."""

CHOICES, CHANGES = "choices", "changes"
"""What was chosen for the files that are looked at, by menu; and in the table of relations, by relation and column."""

DAMAGED = "damaged"
"""Runs and data sets that this session could not open though they look whole: what is wrong with each, by its id."""

RENAME = "rename-"
STARTUP_RUN = "given"
"""There once the run that the server was started with is imported."""

IMPORT = "import"
"""The widgets of the history: a run's new name (its id follows), and the file of a run."""

LOSSES = "losses-"
"""Begins the key of the table of losses; what it was made of follows."""

REFUSALS = "refusals"
"""How many edits of that table could not be taken."""

DRAWN = "drawn"
"""The training whose curves this session has begun to draw."""

RANK_PATHS = "rank-paths"
"""Held-out scores against the rank, by the settings they were found with."""

GROUP = "group"
"""The names of the objects that the visitor has drawn round on the map of the Embedding page."""

MAP = "figure-embedding-"
"""Begins the key that `figures.show` gives the map of the Embedding page; what the mouse picks follows."""

SENT = "sent"
"""The group of objects that the Network page was last sent."""

CLICKED = "clicked"
"""What was selected in the network when it was last clicked: a chart tells all that is, not what is new."""

NEW_ENTRIES = "new-entries"
"""The table of a new object's known relationships."""

ATTRIBUTES = "attributes"
GUESSES = "guesses-"
MIT = "mit-"
"""Begin the keys of further widgets of uploads: attributes of objects, what each relation is taken for, MIT's files."""

EXPANDER = "fold-"
EXPANDERS = "folds"
"""Begins the key of a part of a page that can be shut; and which of them are open, by name."""

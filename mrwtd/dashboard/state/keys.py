"""All keys of Streamlit's session state, in one place."""

from hashlib import sha256

SETTINGS = "settings"
"""The `Settings` of the user."""

QUERY_PARAMS = "query-params"
"""The URL parameters that this session last wrote or read."""

REMEMBERED = "remembered"
"""The data set that the workspace names as the last one in use."""

CHANGED = "changed"
"""Set while the settings have changed and the URL has not followed yet."""

BEFORE_SHARED = "before-shared"
"""The settings before a shared run was opened in this session."""

MESSAGES, SUCCESSES = "messages", "successes"
"""Messages for the top of the page, with the time of their first display: problems, and what has succeeded."""

NOT_SUBMITTED = "not-submitted"
"""Why the last training could not be submitted, until the page has shown it."""

RESTARTED = "restarted-experiment"
"""The interrupted experiment that the Experiments page starts again when it is drawn."""

USER = "user"
"""The secret id of the user's workspace."""

STORAGE = "storage"
"""The problems of storage that were reported in this session."""

PICK = "pick-"
"""Prefix of the key of a widget bound to a setting, followed by the name of the setting."""

FILE = "file"
"""Prefix of the key of the file uploader. The rest changes after each upload that is used."""

UPLOADS = "uploads"
"""The number of uploads that were used."""

DROPPED = "dropped"
"""Files that were uploaded and not used yet, by the key of their uploader."""

DESCRIBED = "described"
"""The names of the files that the uploaded attributes describe, and how often other files replaced them."""

READER = "reader"
"""The reader of the uploaded files, with the ids of the files."""

CHOICES, CHANGES = "choices", "changes"
"""Choices for the uploaded files by menu, and edits in the table of relations by relation and column."""

EDITED, EDITS = "edited", "edits"
"""The data set whose reading is changed, with its files; and prefix of the edits in its table, followed by a number."""

EDITED_ATTRIBUTES = "edited-attributes"
"""Prefix of the key of the uploader for other attributes of that data set."""

COLUMNS = "columns"
"""The role of each column of an uploaded list by the file and how it is split; with more, the menus of these roles."""

TYPED = "typed"
"""The typed network: the table at first and as it was edited; with more, the key of the table."""

FOR_ALL = "for-all-"
"""Prefix of the keys of the menus that set a column of that table for all relations."""

DAMAGED = "damaged"
"""Why runs and data sets could not be opened in this session, by id. Their files look intact."""

UNSAVED = "unsaved"
"""Runs that could not be stored, by id. They last as long as the session."""

WITH_DATA = "with-data-"
"""Prefix of the key of the choice to share a run with its data, followed by the id of the run."""

RENAME = "rename-"
"""Prefix of the key for the new name of a run in the history, followed by the id of the run."""

IMPORT = "import"
"""The file uploader for a run in the history."""

STARTUP_RUN = "startup-run"
"""Set once the run that the server was started with is imported."""

LOSSES = "losses-"
"""Prefix of the key of the table of losses, followed by what it depends on."""

REFUSALS = "refusals"
"""The number of edits in that table that were not valid."""

DRAWN = "drawn"
"""The id of the training whose curves are already shown."""

RANK_CHOICES = "rank-choices"
"""Held-out scores by rank, by the settings they belong to."""

GROUP = "group"
"""The names of the objects selected on the map of the Embedding page."""

MAP = "figure-embedding-"
"""Prefix of the key of the map on the Embedding page, followed by the selection mode."""

SENT = "sent"
"""The group of objects last sent to the Network page."""

CLICKED = "clicked"
"""The selection in the network at the last click: a chart reports the whole selection, not what is new."""

NEW_ENTRIES = "new-entries"
"""The table of known relationships of a new object."""

ATTRIBUTES = "attributes"
GUESSES = "guesses-"
MIT = "mit-"
"""Prefixes of the keys of upload widgets: attributes of objects, the table of relations, the MIT data sets."""

EXPANDER = "expander-"
EXPANDERS = "expanders"
"""Prefix of the key of an expander, followed by its name; and which expanders are open, by name."""


def digest(*parts: object) -> str:
    """The end of a key that changes with any of the parts, so that a new widget replaces the old one.

    >>> digest("aucs", 1) == digest("aucs", 1), digest("aucs", 1) == digest("aucs", 2)
    (True, False)
    """
    return sha256(repr(parts).encode()).hexdigest()[:12]

"""The names under which things stand in Streamlit's session: all of them, once."""

SETTINGS = "settings"
"""What the visitor has chosen: a `Settings`."""

ADDRESS = "address"
"""The parameters of the address as this session last wrote or read them."""

NOTES = "notes"
"""Sentences to show once, on top of the next page."""

UPLOADED = "uploaded"
"""The visitor's own data: an `Uploaded`, or nothing."""

PICK = "pick-"
"""Begins the key of a widget that shows a setting; the setting's name follows."""

FILE = "file"
ABSENT = "absent"
"""The widgets of an upload: the file, and what its absent rows mean."""

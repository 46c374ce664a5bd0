"""Data: objects, relations and known entries, with readers, writers, splits and data sets."""

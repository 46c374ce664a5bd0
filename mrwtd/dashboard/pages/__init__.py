"""The pages, one folder each. Pages do not import each other."""

"""The file formats, one per file. Each module registers a Format."""

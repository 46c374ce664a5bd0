"""The file formats, one per module. Each module registers its `read` function."""

"""The frame that every page stands in: menu, settings, and what the visitor has loaded."""

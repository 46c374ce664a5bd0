"""A package to pytest, so that one browser and one server last for the tests of this folder, and no longer."""

"""A package to pytest, so that one cluster lasts for the tests of this folder, and no longer."""

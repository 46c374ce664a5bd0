"""A package, so that fixtures of package scope end with the tests of this folder."""

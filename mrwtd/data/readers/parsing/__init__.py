"""Parsing functions shared by the formats: text, columns, headers, names, matrices."""

"""Published tables on Kinship, UMLS and Nations, and what they need to be run again: `ranking` and `rescal2011`."""

"""Limits on the work that a file may cause. They grow with its size: a few bytes can announce or unpack to anything."""

from dataclasses import dataclass

from ..errors import DataError, Problem


@dataclass(frozen=True)
class Limit:
    """The largest number of something in a file: `base`, and `per_byte` for each byte of the file, up to `most`.

    >>> ENTRIES.of(1_000_000)
    20000000
    >>> ENTRIES.check(49_000_000, 47_000)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found 49,000,000 cells; expected at most 10,470,000 in a file of 47,000 bytes; list ...
    """

    noun: str
    base: int
    per_byte: float
    most: int
    advice: str

    def of(self, size: int | None) -> int:
        """The limit for a file of this many bytes, or for data that are not from a file."""
        return self.most if size is None else min(self.most, self.base + int(self.per_byte * size))

    def check(self, count: int, size: int | None, *, noun: str = "", advice: str = "", where: str = "") -> None:
        """Raise an error if there are more, with another noun or advice if given."""
        limit = self.of(size)
        if count > limit:
            of_file = "" if size is None or limit == self.most else f" in a file of {size:,} bytes"
            expected = f"at most {limit:,}{of_file}; {advice or self.advice}"
            raise DataError(Problem(f"{count:,} {noun or self.noun}", expected, where=where))


EXPANDED = Limit(
    "bytes after decompression", 100_000_000, 20, 1_000_000_000, "use the decompressed file, or a part of the data"
)
"""Compressed files. Lists of names shrink to a tenth, seldom to less."""

ENTRIES = Limit("cells", 10_000_000, 10, 50_000_000, "list the known entries in a CSV or Parquet file instead")
"""Cells of matrices, and entries from unlisted pairs: 10 million are the pairs of 3,162 objects."""

UNLABELLED = Limit("objects without labels", 100_000, 1, 50_000_000, "remove the objects without ties, or label them")
"""Objects that a header announces."""

RELATIONS = Limit("relations", 10_000, 0.1, 100_000, "use a part of the relations")

COLUMNS = Limit("columns", 100_000, 0, 100_000, "use one row per entry: source, relation, target, value")

ATTRIBUTES = Limit("attributes of objects", 1_000, 0, 1_000, "use a part of the attributes")

NAME_LENGTH = Limit("characters in one name", 10_000, 0, 10_000, "use shorter names")

"""The files of an upload as the user gave them. They are stored with the data, so that they can be read another way."""

import io
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from ..errors import DataError, Problem

ATTRIBUTES = "attributes"
"""The folder of the file with attributes in an archive. Those of the other files are numbers."""

FAST = 1
"""The level of compression: texts shrink to a quarter at about the speed of a disk."""


def zipped(parts: Iterable[tuple[str, bytes]], level: int | None = None) -> bytes:
    """Names and contents of files as a zip archive. The level of compression is that of `zlib`; 0 means none.

    >>> zipfile.ZipFile(io.BytesIO(zipped([("ties.csv", b"a,b"), ("more/ties.csv", b"b,c")]))).namelist()
    ['ties.csv', 'more/ties.csv']
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return buffer.getvalue()


@dataclass(frozen=True)
class UploadedFile:
    """The name and the content of a file."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Upload:
    r"""The files of one data set.

    >>> upload = Upload((UploadedFile("ties.csv", b"source,target\n"),), UploadedFile("people.csv", b"name\n"))
    >>> Upload.unpack(upload.pack()) == upload
    True

    Attributes:
        files: the files with relations.
        attributes: the file with attributes of the objects, if the user named one.
    """

    files: tuple[UploadedFile, ...]
    attributes: UploadedFile | None = None

    def pack(self) -> bytes:
        """All files as one zip archive."""
        folders = {str(number): file for number, file in enumerate(self.files)}
        folders |= {ATTRIBUTES: self.attributes} if self.attributes is not None else {}
        return zipped(((f"{folder}/{file.name}", file.content) for folder, file in folders.items()), FAST)

    @classmethod
    def unpack(cls, content: bytes) -> Self:
        """The files in the result of `pack`."""
        files: list[UploadedFile] = []
        attributes = None
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                for member in archive.namelist():
                    folder, _, name = member.partition("/")
                    file = UploadedFile(name, archive.read(member))
                    if folder == ATTRIBUTES:
                        attributes = file
                    else:
                        files.append(file)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError) as error:
            raise DataError(Problem(f"a damaged copy of the upload ({error})", "a complete one")) from None
        return cls(tuple(files), attributes)

"""XML, parsed safely: a file with a document type is refused before any entity of it could be expanded."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from ....errors import DataError, Problem
from ..source import Source


class _RefusesDoctype(ET.TreeBuilder):
    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise DataError(Problem("a document type (<!DOCTYPE …>)", "XML without one, since it may hide a bomb"))


def parse(source: Source) -> ET.Element:
    """The root of an XML file.

    >>> parse(Source("a.graphml", b"<graphml/>")).tag
    'graphml'
    >>> parse(Source("a.graphml", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"))
    Traceback (most recent call last):
    mrwtd.errors.DataError: a.graphml: found a document type (<!DOCTYPE …>); expected XML without one, ...
    """
    parser = ET.XMLParser(target=_RefusesDoctype())
    try:
        parser.feed(source.data)
        root: ET.Element = parser.close()
    except DataError as error:
        raise DataError(error.problems, file=source.name) from None
    except ET.ParseError as error:
        found = f"broken XML ({error})"
        raise DataError(Problem(found, "well-formed XML", line=error.position[0]), file=source.name) from None
    except (ValueError, LookupError) as error:
        raise DataError(Problem(f"broken XML ({error})", "well-formed XML"), file=source.name) from None
    return root


def namespace(element: ET.Element) -> str:
    """The namespace of an element, in braces as in its tag; nothing where there is none.

    >>> namespace(ET.fromstring("<a xmlns='b'/>"))
    '{b}'
    """
    tag = str(element.tag)
    return tag[: tag.rfind("}") + 1]

"""Files that belong together: relations, a list of the objects (nodes), and a list of the relations (layers).

They come in a zip, as the sheets of a workbook, or as several files. `gather` finds the role of each; `add_attributes`
and `name_relations` add the lists to the table of the relations.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import PurePosixPath

from ...errors import DataError, Problem, Problems
from ..table import Table
from .formats.splits import published_files
from .parsing import workbook
from .parsing.attributes import is_attribute_table, read_nodes
from .parsing.delimited import sniff, try_sniff
from .parsing.headers import is_header, letters
from .parsing.lines import enumeration, quote
from .source import File, Source

EXTENSIONS = ("csv", "tsv", "txt", "tab", "dat", "nodes", "layers", "xlsx", "xlsm")
"""Extensions of files that can be lists of objects or relations."""

_NOTES = ("readme", "license", "licence", "about", "gprops")
_NOTE_EXTENSIONS = (".md", ".pdf", ".html", ".htm", ".rtf", ".doc", ".docx")


def gather(source: Source) -> Source:
    r"""The file with the relations, which refers to the accompanying lists of objects and relations.

    >>> ties, people = Source("ties.csv", b"source,target\n1,2\n"), Source("people.csv", b"id,age\n1,30\n2,20\n")
    >>> gather(Source.together("files.zip", [ties, people])).nodes.name
    'people.csv'
    """
    is_workbook = workbook.is_workbook(source)
    if not is_workbook and not any(name.lower().endswith((*EXTENSIONS, "zip")) for name in source.member_names):
        return source
    parts = _sheets(source) if is_workbook else _files(source)
    # The short parts of a published split can look like attributes.
    published = published_files([part.name for part in parts]).values()
    lists = [part for part in parts if part.extension in EXTENSIONS and part.name not in published]
    layers = [part for part in lists if is_layer_list(part)]
    nodes = [part for part in lists if not is_layer_list(part) and is_attribute_table(part)]
    relations = [part for part in parts if part not in layers and part not in nodes]
    is_unchanged = not is_workbook and [*map(id, relations)] == [*map(id, source.members)]
    if not relations or len(layers) > 1 or len(nodes) > 1 or is_unchanged:
        return source
    relation_file = relations[0] if len(relations) == 1 else Source.together(source.name, relations)
    return replace(
        relation_file,
        name=source.name if is_workbook else relation_file.name,
        notes=tuple(dict.fromkeys((*source.notes, *relation_file.notes))),
        nodes=next(iter(nodes), None),
        layers=next(iter(layers), None),
    )


def _sheets(book: Source) -> Sequence[Source]:
    """The sheets of a workbook as CSV files if one of them is a list, otherwise none: they are matrices."""
    sheets = workbook.sheets(book)
    if not any(is_header(rows[0][1], [cells for _, cells in rows[1:100]]) for rows in sheets.values()):
        return ()
    return [replace(workbook.as_csv(book, name), name=f"{name}.csv") for name in sheets]


def _files(source: Source) -> Sequence[Source]:
    """The files of a zip, or several files, without notes for readers; zips among them are opened."""
    members = chain.from_iterable(map(_opened, source.members))
    return [_with_header(member) for member in members if not _is_note(member.name)]


def _with_header(member: Source) -> Source:
    """A list of objects with the names of its columns in a comment, as in Netzschleuder, without the comment sign."""
    sheet = try_sniff(member) if member.extension in EXTENSIONS else None
    if sheet is None or len(sheet.comments) != 1 or not member.start.startswith((b"#", b"%")):
        return member
    plain = replace(member, content=bytes(member.utf8).lstrip(b"#% "), cache={})
    return plain if is_attribute_table(plain) else member


def _opened(member: Source) -> tuple[Source, ...]:
    if member.extension == "zip" and member.is_zip:
        return member.members
    if workbook.is_workbook(member) and len(workbook.sheets(member)) == 1:
        return (workbook.as_csv(member),)
    return (member,)


def _is_note(name: str) -> bool:
    path = PurePosixPath(name)
    return path.stem.lower().startswith(_NOTES) or path.suffix.lower() in _NOTE_EXTENSIONS


def is_layer_list(source: Source) -> bool:
    r"""Whether a text lists the relations of a multilayer network, with their numbers and names.

    >>> is_layer_list(Source("a_layers.txt", b"layerID layerLabel\n1 advice\n2 friend\n"))
    True
    """
    sheet = try_sniff(source)
    if sheet is None or len(sheet.records) < 2:
        return False
    header = [letters(name) for name in sheet.records[0][1]]
    return (
        len(header) > 1
        and header[0] in ("layer", "layerid")
        and header[1] in ("layerlabel", "layername", "label", "name")
    )


def name_relations(table: Table, layers: Source) -> Table:
    r"""The table with the names of a list of relations in place of their numbers.

    >>> table = Table.from_names(["ann"], ["2"], ["bob"])
    >>> name_relations(table, Source("layers.txt", b"layerID layerLabel\n1 advice\n2 friend\n")).relations
    ('friend',)
    """
    sheet, names, problems = sniff(layers), dict[str, str](), Problems(layers.name)
    for line, cells in list(sheet.all_records())[1:]:
        name = " ".join(cells[1:]) if sheet.separator == " " and len(sheet.records[0][1]) == 2 else "".join(cells[1:2])
        if not name or cells[0] in names or name in names.values():
            problems.add(quote(" ".join(cells)), "the number and the name of a relation, each once", line)
        names[cells[0]] = name
    problems.check()
    if missing := [relation for relation in table.relations if relation not in names]:
        expected = f"a row for each relation of {table.file or 'the data'}; {enumeration(missing)} missing"
        raise DataError(Problem(f"the relations {enumeration(list(names))}", expected), file=layers.name)
    relations = tuple(names[relation] for relation in table.relations)
    declared = {names[relation]: properties for relation, properties in table.declared.items()}
    note = f"The relations are named by {layers.name}: {enumeration(relations)}."
    return replace(table, relations=relations, declared=declared, named=True, notes=(*table.notes, note))


def add_attributes(table: Table, file: File | Source) -> Table:
    r"""The table with the attributes, names and isolates of a list of the objects.

    Attributes replace those of the same name. Objects without an entry are kept if most objects of the list have one.

    >>> import io
    >>> table = Table.from_names(["ann"], ["likes"], ["bob"])
    >>> add_attributes(table, io.StringIO("name,group\nann,red\nbob,blue\ncat,red\n")).attributes
        group
    ann   red
    bob  blue
    cat   red
    """
    nodes = read_nodes(file, table.objects)
    objects, frame = (*table.objects, *nodes.isolates), nodes.attributes
    if table.attributes is not None:
        frame = table.attributes.drop(columns=frame.columns, errors="ignore").reindex(list(objects)).join(frame)
    types = table.object_types
    if nodes.names:
        types = {nodes.names.get(name, name): kind for name, kind in types.items()}
        objects = tuple(nodes.names.get(name, name) for name in objects)
        frame = frame.rename(index=nodes.names)
    attributes = frame if len(frame.columns) else None
    notes = (*table.notes, *nodes.notes)
    return replace(table, objects=objects, object_types=types, attributes=attributes, notes=notes)

"""Build the files of `sample_data/` from the public packages that contain the original data.

    python tools/build_samples.py             download the packages (pip and npm) to a temporary folder
    python tools/build_samples.py FOLDER      use a folder with the unpacked packages

Packages: pykeen 1.11.1 and uunet 2.2.1 (pip), vega-datasets 3.2.1 (npm). Only their data files are read, none is
installed. Each data set has two files: NAME.csv, with one row per tie (source, relation, target and, for numbers,
value), and NAME.objects.csv, with one row per object and its attributes. A published split is in NAME.standard.csv: its
ties for validation and test, and those for training that the sample leaves out. The output is the same to the byte in
every run.
"""

import argparse
import csv
import itertools
import math
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

PIP_PACKAGES = ("pykeen==1.11.1", "uunet==2.2.1")
NPM_PACKAGE = "vega-datasets@3.2.1"
TARGET = Path(__file__).resolve().parent.parent / "sample_data"

EARTH_RADIUS_KM = 6371.0088
BUSIEST = 40
MISSPELT = {"eemigrants": "emigrants", "pprotests": "protests"}

Tie = tuple[str, str, str, str]
"""Source, relation, target, value."""


@dataclass(frozen=True)
class Sample:
    """Ties, and objects with their attributes, in the order of the files."""

    ties: list[Tie]
    objects: list[str]
    attributes: dict[str, list[str]] = field(default_factory=dict)
    standard: list[Tie] = field(default_factory=list)
    """Source, relation, target and part of the ties of the published split that `ties` do not give."""


def download(folder: Path) -> Path:
    """Download the packages and unpack them in the folder."""
    # Data files are the same in the wheels of all platforms.
    wheel = ["--only-binary=:all:", "--python-version=3.11", "--platform=manylinux2014_x86_64"]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *wheel, "--dest", str(folder)]
    subprocess.run([*pip, *PIP_PACKAGES], check=True)
    subprocess.run(["npm", "pack", "--silent", NPM_PACKAGE], check=True, cwd=folder)
    for archive in folder.glob("*.whl"):
        with zipfile.ZipFile(archive) as wheel_file:
            wheel_file.extractall(folder)
    for archive in folder.glob("*.tgz"):
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    return folder


def find(folder: Path, ending: str) -> Path:
    """The file below the folder whose path has this ending."""
    paths = sorted(path for path in folder.rglob(Path(ending).name) if path.as_posix().endswith(f"/{ending}"))
    if not paths:
        raise SystemExit(f"no file …/{ending} below {folder}")
    return paths[0]


def natural(name: str) -> tuple[str, int]:
    """Sort key with `term2` before `term10`."""
    letters = name.rstrip("0123456789")
    return letters, int(name[len(letters) :] or -1)


def triples(folder: Path, name: str, keep: Callable[[str], bool] = lambda _: True) -> Sample:
    """A knowledge graph of pykeen: training, validation and test triples together, and its split."""
    parts: dict[tuple[str, str, str], str] = {}
    for part in ("train", "valid", "test"):
        text = find(folder, f"pykeen/datasets/{name}/{part}.txt").read_text(encoding="utf-8")
        for line in text.splitlines():
            source, relation, target = line.split("\t")
            parts[source, MISSPELT.get(relation, relation), target] = part
    ties: list[Tie] = [(*key, "1") for key in parts if keep(key[1])]
    others: list[Tie] = [(*key, part) for key, part in parts.items() if part != "train" or not keep(key[1])]
    objects = sorted({end for tie in ties for end in (tie[0], tie[2])}, key=natural)
    relations = sorted({key[1] for key in parts}, key=natural)
    return Sample(ordered(ties, objects, relations), objects, standard=ordered(others, objects, relations))


def ordered(ties: Iterable[Tie], objects: list[str], relations: list[str]) -> list[Tie]:
    """Ties sorted by relation, source and target."""
    return sorted(ties, key=lambda tie: (relations.index(tie[1]), objects.index(tie[0]), objects.index(tie[2])))


def multiplex(folder: Path, name: str, relations: list[str], columns: dict[str, str], undirected: set[str]) -> Sample:
    """A multiplex network of uunet; `columns` maps the attributes to include to their new names."""
    sections: dict[str, list[list[str]]] = {}
    for line in find(folder, f"uunet/data/{name}.mpx").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            section = sections.setdefault(line[1:].strip(), [])
        elif line.strip():
            section.append([cell.strip() for cell in line.split(",")])
    actors = sections["ACTORS"]
    objects = [actor[0] for actor in actors]
    names = [attribute[0] for attribute in sections.get("ACTOR ATTRIBUTES", [])]
    attributes = {
        columns[attribute]: ["" if actor[position] == "NA" else actor[position] for actor in actors]
        for position, attribute in enumerate(names, start=1)
        if attribute in columns
    }
    ties: dict[tuple[str, str, str], str] = {}
    for source, target, relation, *value in sections["EDGES"]:
        if relation in undirected and objects.index(source) > objects.index(target):
            source, target = target, source
        ties[source, relation, target] = value[0] if value else "1"
    return Sample(ordered(((*key, value) for key, value in ties.items()), objects, relations), objects, attributes)


def airports(folder: Path) -> Sample:
    """The busiest airports: flights, distances, and pairs in the same state."""
    with find(folder, "data/flights-airport.csv").open(encoding="utf-8", newline="") as file:
        flights = [(row["origin"], row["destination"], int(row["count"])) for row in csv.DictReader(file)]
    with find(folder, "data/airports.csv").open(encoding="utf-8", newline="") as file:
        places = {row["iata"]: row for row in csv.DictReader(file)}
    traffic: Counter[str] = Counter()
    for source, target, count in flights:
        traffic[source] += count
        traffic[target] += count
    objects = sorted(code for code, _ in traffic.most_common(BUSIEST))
    ties: list[Tie] = [(a, "flights", b, str(count)) for a, b, count in flights if a in objects and b in objects]
    for a, b in itertools.combinations(objects, 2):
        ties.append((a, "distance (km)", b, f"{kilometres(places[a], places[b]):.1f}"))
        if places[a]["state"] == places[b]["state"]:
            ties.append((a, "same_state", b, "1"))
    attributes = {column: [places[code][column] for code in objects] for column in ("name", "city", "state")}
    for column in ("latitude", "longitude"):
        attributes[column] = [f"{float(places[code][column]):.4f}" for code in objects]
    return Sample(ordered(ties, objects, ["flights", "distance (km)", "same_state"]), objects, attributes)


def kilometres(first: dict[str, str], second: dict[str, str]) -> float:
    """The great-circle distance, by the haversine formula."""
    a, b = (math.radians(float(place["latitude"])) for place in (first, second))
    longitude = math.radians(float(first["longitude"]) - float(second["longitude"]))
    h = math.sin((a - b) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(longitude / 2) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(h))


def samples(folder: Path) -> dict[str, Sample]:
    """All data sets by name."""
    monastery = ["like1", "like2", "like3", "dislike", "esteem", "desesteem"]
    monastery += ["positive_influence", "negative_influence", "praise", "blame"]
    mutual = ["horseplay", "arguments", "friendship", "antagonist"]
    aucs = ["lunch", "facebook", "coauthor", "leisure", "work"]
    florentine = ["business", "marriage"]
    return {
        # Terms 23 and up have fewer than 10 ties; the paper omits them too.
        "kinship": triples(folder, "kinships", lambda term: natural(term)[1] <= 22),
        "nations": triples(folder, "nations"),
        "umls": triples(folder, "umls"),
        "monastery": multiplex(folder, "monastery", monastery, {}, set()),
        "bankwiring": multiplex(folder, "bankwiring", [*mutual, "help", "job_trading"], {}, set(mutual)),
        "aucs": multiplex(folder, "aucs", aucs, {"group": "group", "role": "role"}, set(aucs)),
        "florentine": multiplex(
            folder, "florentine", florentine, {"WEALTH": "wealth", "PRIORATES": "priorates"}, set(florentine)
        ),
        "airports": airports(folder),
    }


def write(name: str, sample: Sample, target: Path) -> None:
    # Without values other than 1 the column is omitted: a row without a value is a tie.
    width = 4 if any(tie[3] != "1" for tie in sample.ties) else 3
    rows = [("source", "relation", "target", "value")[:width], *(tie[:width] for tie in sample.ties)]
    objects = [("object", *sample.attributes), *zip(sample.objects, *sample.attributes.values(), strict=True)]
    tables = {f"{name}.csv": rows, f"{name}.objects.csv": objects}
    if sample.standard:
        tables[f"{name}.standard.csv"] = [("source", "relation", "target", "split"), *sample.standard]
    for file_name, table in tables.items():
        with (target / file_name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(table)
    relations = len({tie[1] for tie in sample.ties})
    print(f"{name:12} {len(sample.objects):4} objects  {relations:3} relations  {len(sample.ties):6} ties")


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the files of sample_data/.")
    parser.add_argument(
        "folder", nargs="?", type=Path, help="folder with the unpacked packages (default: download them)"
    )
    parser.add_argument("--target", type=Path, default=TARGET, help="output folder (default: sample_data/)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or download(Path(temporary))
        for name, sample in samples(folder).items():
            write(name, sample, arguments.target)


if __name__ == "__main__":
    main()

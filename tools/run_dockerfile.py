"""Run the Dockerfile without a container engine: its steps in a folder, and its command with a read-only root.

As root on Linux, with a Debian that has Python 3.11 in the folder ROOT:

    debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm ROOT
    python -m tools.run_dockerfile --build ROOT
    python -m tools.run_dockerfile ROOT                      # the command of the image
    python -m tools.run_dockerfile ROOT dashboard --check    # another command

The command has the user, the environment and the volumes of the image, no capabilities, and a new list of processes. It
shares the network of this machine. Nothing but the volumes and /tmp can be written.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

TOP = Path(__file__).resolve().parents[1]

MOUNTS = """
mount --make-rprivate /
mount --bind "$ROOT" "$ROOT"
mount --types proc proc "$ROOT/proc"
mount --types tmpfs --options mode=755 devices "$ROOT/dev"
for name in null zero random urandom; do touch "$ROOT/dev/$name"; mount --bind "/dev/$name" "$ROOT/dev/$name"; done
mkdir "$ROOT/dev/shm"
mount --types tmpfs --options mode=1777,size=64m shared "$ROOT/dev/shm"
mount --types tmpfs --options mode=1777,size=512m temporary "$ROOT/tmp"
for volume in $VOLUMES; do mount --bind "$ROOT$volume" "$ROOT$volume"; done
mount --options remount,bind,ro "$ROOT"
exec chroot "$ROOT" /usr/bin/env --chdir "$FOLDER" --ignore-environment "$@"
"""
"""Run by sh in new namespaces."""


@dataclass
class Image:
    """What the Dockerfile states for its command."""

    steps: list[tuple[str, str]] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    user: str = "0:0"
    volumes: list[str] = field(default_factory=list)
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)


def read_dockerfile(text: str) -> Image:
    """The steps, and what the last one of each other instruction states.

    >>> image = read_dockerfile('FROM debian' + chr(10) + 'ENV A=1 B=2' + chr(10) + 'CMD ["date"]')
    >>> image.steps, image.environment, image.command
    ([('FROM', 'debian')], {'A': '1', 'B': '2'}, ['date'])
    """
    image = Image()
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        name, _, value = line.partition(" ")
        value = value.strip()
        if name in ("FROM", "RUN", "COPY", "WORKDIR"):
            image.steps.append((name, value))
        if name == "WORKDIR":
            image.folder = value
        elif name == "ENV":
            image.environment |= dict(part.split("=", 1) for part in shlex.split(value))
        elif name == "USER":
            image.user = value
        elif name in ("VOLUME", "ENTRYPOINT", "CMD"):
            setattr(image, {"VOLUME": "volumes", "ENTRYPOINT": "entrypoint", "CMD": "command"}[name], json.loads(value))
        elif name not in ("FROM", "RUN", "COPY", "EXPOSE", "HEALTHCHECK"):
            raise ValueError(f"{name} is not supported")
    return image


def build(image: Image, root: Path) -> None:
    """Run the steps as root, with the names, the network and the certificates of this machine."""
    for file in ("etc/hosts", "etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"):
        shutil.copy(Path("/") / file, root / file)
    folder = Path("/")
    for name, value in image.steps:
        print(f"--- {name} {value}", flush=True)
        if name == "WORKDIR":
            folder = Path(value)
            (root / value.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif name == "RUN":
            path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
            command = [
                "chroot",
                str(root),
                "/usr/bin/env",
                f"--chdir={folder}",
                "-i",
                f"PATH={path}",
                "sh",
                "-c",
                value,
            ]
            subprocess.run(command, check=True)
        elif name == "COPY":
            *sources, target = shlex.split(value)
            copy(sources, root / str(folder / target).lstrip("/"))


def copy(sources: list[str], target: Path) -> None:
    """Copy files that .dockerignore lets through: it excludes everything, and then lists what is included."""
    lines = (TOP / ".dockerignore").read_text(encoding="utf-8").splitlines()
    included = [line[1:] for line in lines if line.startswith("!")]
    names = included if sources == ["."] else sources
    for name in names:
        if name not in included:
            raise ValueError(f"{name} is not in .dockerignore")
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if (TOP / name).is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(TOP / name, target / name, ignore=ignore, dirs_exist_ok=True)
        else:
            shutil.copy(TOP / name, target / name)


def run(image: Image, root: Path, arguments: list[str], extra: list[str]) -> NoReturn:
    """Replace this process by the entry point with these arguments, or with those of CMD."""
    user, group = image.user.split(":")
    rights = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--clear-groups"]
    variables = [f"{name}={value}" for name, value in image.environment.items()]
    command = [
        "setpriv",
        f"--reuid={user}",
        f"--regid={group}",
        *rights,
        *image.entrypoint,
        *(arguments or image.command),
    ]
    where = {"ROOT": str(root), "VOLUMES": " ".join(image.volumes), "FOLDER": image.folder}
    namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
    script = ["sh", "-ec", MOUNTS, "sh", *variables, *extra, *command]
    os.execvpe(namespaces[0], [*namespaces, *script], os.environ | where)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--build", action="store_true", help="run the steps")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="a variable of the command")
    parser.add_argument("--entrypoint", metavar="COMMAND", help="instead of ENTRYPOINT")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the command instead of CMD")
    options = parser.parse_args()
    image, root = read_dockerfile((TOP / "Dockerfile").read_text(encoding="utf-8")), options.root.resolve()
    if options.entrypoint:
        image.entrypoint, image.command = shlex.split(options.entrypoint), []
    if options.build:
        build(image, root)
    else:
        run(image, root, options.arguments, options.env)


if __name__ == "__main__":
    main()

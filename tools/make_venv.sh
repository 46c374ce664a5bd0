#!/bin/sh
# make_venv.sh FOLDER [PYTHON]: create a virtual environment with the first Python that is new enough.
set -eu

folder=$1
candidates=${2:-python3 python3.14 python3.13 python3.12 python3.11 python}

for python in $candidates; do
    # A name on the path may be a shim that cannot run: try each one.
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        echo "$python cannot make virtual environments: its venv module is missing." >&2
        echo "On Debian and Ubuntu:  apt install python3-venv" >&2
        exit 1
    fi
    "$python" -m venv "$folder"
    exit 0
done

echo "Python 3.11 or newer is needed, and none of these is one: $candidates" >&2
echo "Install it, or name one:  make PYTHON=/path/to/python3.12 run" >&2
exit 1

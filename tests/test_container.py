"""Files for deployment: the locked requirements, the Dockerfile, compose.yaml, the systemd unit, and the proxy."""

import re
import shutil
import subprocess
import sys
import tomllib
from base64 import b64encode
from hashlib import sha256
from itertools import chain
from pathlib import Path

import pytest
import streamlit
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement

from mrwtd.cli.dashboard import dashboard
from mrwtd.dashboard.widgets import figures
from mrwtd.hosting.config import Config
from tools import run_dockerfile

TOP = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
LOCK = (TOP / "requirements.lock").read_text(encoding="utf-8")
EXTRAS = PROJECT["optional-dependencies"].values()
REQUIREMENTS = [Requirement(line) for line in chain(PROJECT["dependencies"], *EXTRAS)]
IMAGE = run_dockerfile.read_dockerfile((TOP / "Dockerfile").read_text(encoding="utf-8"))
SERVICES = yaml.safe_load((TOP / "compose.yaml").read_text(encoding="utf-8"))["services"]
UNIT = TOP / "deploy" / "mrwtd.service"
PROXY = (TOP / "deploy" / "nginx.conf").read_text(encoding="utf-8")


def locked() -> dict[str, str]:
    """The versions for this Python, by name."""
    listed = [Requirement(line) for line in re.findall(r"^(\w\S*==.*?) \\$", LOCK, re.MULTILINE)]
    environment = default_environment()
    return {
        item.name: str(item.specifier).removeprefix("==")
        for item in listed
        if item.marker is None or item.marker.evaluate(environment)
    }


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_every_requirement_is_locked_within_its_range(requirement):
    assert requirement.specifier.contains(locked()[requirement.name.lower()]), "run make lock"


def test_every_locked_version_has_hashes_and_no_host_is_named():
    entries = re.split(r"^(?=\w)", LOCK, flags=re.MULTILINE)[1:]
    assert len(entries) > 50
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert not re.search(r"https?:|--(extra-)?index|--find-links", LOCK)


def test_the_image_has_the_files_of_the_package_and_no_others(tmp_path):
    run_dockerfile.copy(["."], tmp_path)
    wheel = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    packaged = {*wheel["only-include"], *wheel["force-include"]}
    assert all((tmp_path / name).exists() for name in packaged)
    assert {path.name for path in tmp_path.iterdir()} == {Path(name).parts[0] for name in packaged} | {
        "requirements.lock",
        "requirements.txt",
    }


def test_the_image_has_a_user_and_writes_to_its_volumes_only():
    assert int(IMAGE.user.split(":")[0]) > 0
    folders = [IMAGE.environment[name] for name in ("HOME", "MRWTD_HOME", "NUMBA_CACHE_DIR")]
    assert all(any(folder.startswith(volume) for volume in IMAGE.volumes) for folder in folders)
    assert any("--require-hashes" in step for _, step in IMAGE.steps)


@pytest.mark.parametrize("name", SERVICES)
def test_services_are_hardened_and_only_this_computer_reaches_them(name):
    service = SERVICES[name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    if name != "dashboard":
        assert service["networks"] == ["cluster"]
        assert service["profiles"] == ["cluster"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_systemd_accepts_the_unit(tmp_path):
    unit = tmp_path / UNIT.name
    # The program is not installed on the machine of the test.
    text = UNIT.read_text(encoding="utf-8").replace("/srv/mrwtd/.venv/bin/python", sys.executable)
    unit.write_text(text, encoding="utf-8")
    verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=60)
    assert verified.returncode == 0, verified.stderr
    assert unit.name not in verified.stderr


def test_the_proxy_allows_the_inline_scripts_of_the_pages_by_their_hashes():
    (policy,) = re.findall(r'Content-Security-Policy "(.*?)"', PROXY)
    pages = [(Path(streamlit.__file__).parent / "static" / "index.html").read_text(), figures.preload_script()]
    scripts = re.findall(r"<script>(.*?)</script>", "".join(pages), re.DOTALL)
    assert len(scripts) == 2
    hashes = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    assert re.findall(r"'sha256-(.*?)'", policy) == hashes
    assert "unsafe-eval" not in policy
    assert "script-src 'self'" in policy


def test_the_proxy_takes_the_largest_upload():
    (limit,) = re.findall(r"client_max_body_size (\d+)m;", PROXY)
    assert int(limit) > Config().uploads.max_mb


def test_the_guide_has_every_option_and_no_unknown_variable():
    guide = (TOP / "docs" / "deploy.md").read_text(encoding="utf-8")
    options = {option for parameter in dashboard.params for option in parameter.opts} - {"--open"}
    assert {option for option in options if f"`{option}" not in guide} == set()
    sources = "".join(path.read_text(encoding="utf-8") for path in (TOP / "mrwtd").rglob("*.py"))
    assert {name for name in re.findall(r"MRWTD_\w+", guide) if name not in sources} == set()

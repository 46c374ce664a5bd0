"""docs/server.toml lists every setting with its default."""

import tomllib
from dataclasses import asdict
from pathlib import Path

from mrwtd.hosting.config import Config, read_config

FILE = Path(__file__).resolve().parents[2] / "docs" / "server.toml"


def test_it_lists_every_setting_with_its_default_in_the_order_of_the_code():
    listed = tomllib.loads(FILE.read_text(encoding="utf-8"))
    defaults = asdict(Config())
    assert listed == defaults
    assert [list(section) for section in listed.values()] == [list(section) for section in defaults.values()]
    assert list(listed) == list(defaults)


def test_it_is_a_valid_configuration():
    assert read_config(FILE) == Config()


def test_every_setting_has_a_comment_above_it_or_above_its_group():
    commented, uncommented = False, []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if " = " not in line or line.startswith("#"):
            commented = line.startswith("#")
        elif not commented:
            uncommented.append(line)
    assert not uncommented

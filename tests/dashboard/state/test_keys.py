"""Keys of Streamlit's session state."""

from pathlib import Path

from mrwtd.dashboard.state import keys


def test_keys_are_unique() -> None:
    lines = Path(keys.__file__).read_text(encoding="utf-8").splitlines()
    names, values = zip(*(line.split(" = ") for line in lines if line[:1].isupper() and " = " in line), strict=True)
    assert len(set(names)) == len(names)
    assert len(set(values)) == len(values)

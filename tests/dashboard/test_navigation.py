from pathlib import Path

import pytest

from mrwtd.dashboard import navigation
from mrwtd.data.location import site_folder


def test_pages_are_the_files_in_the_order_of_their_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "app.py").write_text('"""Start."""\nICON = ":material/home:"\n')
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "10_Last_of_all.py").write_text("x = 1\n")
    (tmp_path / "pages" / "2_Train.py").write_text('"""Fit.\n\nMore."""\nICON = ":material/bolt:"\n')
    (tmp_path / "pages" / "Unnumbered.py").write_text("x = 1\n")
    monkeypatch.setattr(navigation, "site_folder", lambda: tmp_path)
    table = navigation.pages()
    assert list(table) == ["start", "train", "last-of-all", "unnumbered"]
    assert [page.title for page in table.values()] == ["Start", "Train", "Last of all", "Unnumbered"]
    assert [page.path for page in table.values()][:3] == ["app.py", "pages/2_Train.py", "pages/10_Last_of_all.py"]
    assert table["train"].icon == ":material/bolt:"
    assert table["last-of-all"].icon.startswith(":material/")


def test_every_page_has_a_docstring_an_icon_and_one_title() -> None:
    for page in navigation.pages().values():
        source = (site_folder() / page.path).read_text(encoding="utf-8")
        assert source.startswith('"""'), page.path
        assert "\nICON = " in source, page.path
        package = Path(navigation.__file__).parent / "pages" / page.name
        titles = sum(file.read_text(encoding="utf-8").count("st.title(") for file in package.rglob("*.py"))
        assert titles == 1, page.path

from __future__ import annotations

from pathlib import Path

from mrwtd.dashboard.navigation import pages
from mrwtd.data.location import site_folder


def test_only_pages_that_exist_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text('"""Begin."""\nICON = ":material/home:"\n')
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "10_Last_of_all.py").write_text("x = 1\n")
    (tmp_path / "pages" / "2_Train.py").write_text('"""Fit.\n\nMore."""\nICON = ":material/bolt:"\n')
    found = [*pages(tmp_path).values()]
    assert [page.title for page in found] == ["Start", "Train", "Last of all"]
    assert [page.path for page in found] == ["app.py", "pages/2_Train.py", "pages/10_Last_of_all.py"]
    assert found[1].icon == ":material/bolt:"
    assert found[2].icon.startswith(":material/")


def test_every_page_says_what_it_is() -> None:
    for page in pages(site_folder()).values():
        source = (site_folder() / page.path).read_text(encoding="utf-8")
        assert source.startswith('"""'), page.path
        assert "\nICON = " in source, page.path

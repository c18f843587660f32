"""Every page of the built site, as a reader meets it."""

from urllib.parse import unquote, urlsplit

import checks
import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from built_site import PHONE, SITE

# The theme's own: the search field and the theme switch, and the logo, which stands outside of a landmark.
THEMES_OWN = {"label-content-name-mismatch", "region"}
# Docutils marks up a bibliography with roles that have since been withdrawn.
DOCUTILS_OWN = {"exclude": [[".citation-list"]]}


@pytest.fixture
def url(site, page_name):
    return f"{site}/{page_name}.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_loads_without_trouble_and_can_be_read(visit, url, scheme):
    page = visit(url, color_scheme=scheme)
    assert page.troubles == []
    assert page.locator("html").get_attribute("data-theme") == scheme
    assert page.locator("article.bd-article h1").is_visible()
    assert checks.figure_contrast(page) == []
    violations = Axe().run(page, DOCUTILS_OWN).response["violations"]
    assert [(each["id"], [node["target"] for node in each["nodes"]])
            for each in violations if each["id"] not in THEMES_OWN] == []


def test_fits_a_phone(visit, url):
    assert checks.width(visit(url, viewport=PHONE)) == []


def test_reads_without_script(visit, url):
    page = visit(url, java_script_enabled=False)
    assert len(page.locator("article.bd-article").inner_text().split()) > 20
    assert checks.frames_in_order(page) == []


def test_sliders_move_the_picture(visit, url):
    page = visit(url)
    for workshop in page.locator(".workshop").all():
        assert checks.sliders(page, workshop) == []
    assert page.troubles == []


def test_internal_links_resolve(page_name):
    home = SITE / f"{page_name}.html"
    dead = []
    for tag in BeautifulSoup(home.read_text(), "html.parser").find_all(["a", "link", "script", "img"]):
        link = tag.get("href") or tag.get("src") or ""
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or not link:
            continue
        target = (home.parent / unquote(parts.path)).resolve() if parts.path else home
        if not target.is_file():
            dead.append(link)
        elif parts.fragment and target.suffix == ".html":
            there = BeautifulSoup(target.read_text(), "html.parser")
            if not there.find(id=unquote(parts.fragment)):
                dead.append(link)
    assert dead == []


def test_the_front_door_leads_in(visit, site):
    page = visit(f"{site}/index.html")
    page.wait_for_url("**/book/intro.html")
    assert page.troubles == []


def test_search_works(visit, site):
    page = visit(f"{site}/search.html?q=decode")
    page.locator("#search-results li").first.wait_for()
    assert page.troubles == []

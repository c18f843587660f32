"""Every page of the built site, as a reader meets it."""

import re
from functools import cache
from urllib.parse import unquote, urlsplit

import checks
import pytest
from bs4 import BeautifulSoup, SoupStrainer
from built_site import PHONE, SITE

LINKING = ["a", "link", "script", "img"]


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
    assert checks.accessibility(page) == []


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


@cache
def anchors(path):
    """The ids in a page: what a link's fragment may name."""
    return set(re.findall(r'\bid="([^"]+)"', path.read_text()))


def test_internal_links_resolve(page_name):
    home = SITE / f"{page_name}.html"
    dead = []
    for tag in BeautifulSoup(home.read_text(), "html.parser", parse_only=SoupStrainer(LINKING)).find_all(LINKING):
        link = tag.get("href") or tag.get("src") or ""
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or not link:
            continue
        target = (home.parent / unquote(parts.path)).resolve() if parts.path else home
        if not target.is_file():
            dead.append(link)
        elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in anchors(target):
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

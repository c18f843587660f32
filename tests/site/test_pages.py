"""Every page of the built site, as a reader meets it."""

import re
from functools import cache
from urllib.parse import unquote, urlsplit

import checks
import pytest
from bs4 import BeautifulSoup, SoupStrainer
from built_site import DESK, PHONE, SITE

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


@pytest.mark.parametrize("viewport", [DESK, PHONE])
def test_nothing_jumps_while_a_slider_moves(visit, url, viewport):
    page = visit(url, viewport=viewport)
    assert [fault for workshop in page.locator(".workshop").all() for fault in checks.jumps(workshop)] == []
    assert page.troubles == []


def test_outputs_fit_a_desk(visit, url):
    assert checks.wide_outputs(visit(url)) == []


def test_a_sentence_fits_a_phone(visit, site):
    page = visit(f"{site}/notebooks/06_time_per_token.html", viewport=PHONE)
    assert "every parameter multiplied" in page.locator(".cell_output pre").first.inner_text()
    assert not any("every parameter multiplied" in each for each in checks.wide_outputs(page))


def test_formulas_can_be_heard_and_are_no_stops_of_the_tab_key(visit, site):
    page = visit(f"{site}/notebooks/05_roofline.html")
    assert page.locator("mjx-container").count() == page.locator("mjx-container mjx-assistive-mml math").count() > 5
    assert page.locator("mjx-container[tabindex], mjx-container [tabindex]").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_focus_is_seen_on_the_buttons_above_the_page(visit, site, scheme):
    page = visit(f"{site}/notebooks/05_roofline.html", color_scheme=scheme)
    buttons = page.locator(".bd-header-article .btn:visible")
    assert buttons.count() >= 4
    page.keyboard.press("Tab")  # from here on the focus is the keyboard's
    for button in buttons.all():
        button.focus()
        assert button.evaluate("button => getComputedStyle(button).outline").endswith("solid 3px")


def test_is_printed_in_the_light_theme(visit, site):
    page = visit(f"{site}/book/intro.html", color_scheme="dark")
    root = page.locator("html")
    page.evaluate("addEventListener('beforeprint', () => { window.printed = document.documentElement.dataset.theme; })")
    page.pdf()
    assert page.evaluate("window.printed") == "light"
    assert root.get_attribute("data-theme") == "dark"
    page.emulate_media(media="print")
    assert page.locator(".workshop-controls, .workshop-run, .fig-values").filter(visible=True).count() == 0
    assert page.locator(".fig svg:visible").count() == 1


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

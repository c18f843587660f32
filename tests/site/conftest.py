"""The built site behind a local server, and a browser to read it in."""

from urllib.parse import urlsplit

import chromium
import pytest
from built_site import DESK, SITE, serving, toc_pages
from playwright.sync_api import sync_playwright

BAD_NEWS = ("error", "warning")


def pytest_generate_tests(metafunc):
    if "page_name" in metafunc.fixturenames:
        metafunc.parametrize("page_name", toc_pages())


@pytest.fixture(scope="session")
def site():
    """The address of the built site."""
    if not (SITE / "index.html").exists():
        pytest.fail(f"no site in {SITE}: run `make book` first", pytrace=False)
    with serving(SITE) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    path = chromium.find()
    if not path:
        pytest.fail("no Chromium: `python tests/site/chromium.py` installs one", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Opens an address in a fresh context: `page = visit(url, viewport=PHONE, color_scheme="dark", …)`.

    `page.troubles` lists what has gone wrong: errors in the console, requests that failed, and requests to
    another host, which are also stopped.
    """
    contexts = []

    def open_page(url, **options):
        context = browser.new_context(**{"viewport": DESK, "color_scheme": "light"} | options)
        context.set_default_timeout(5_000)
        contexts.append(context)
        page = context.new_page()
        page.troubles = troubles = []
        home = urlsplit(url).netloc

        def only_home(route):
            if urlsplit(route.request.url).netloc == home:
                return route.continue_()
            troubles.append(f"request to another host: {route.request.url}")
            return route.abort()

        page.route("**/*", only_home)
        page.on("console", lambda it: it.type in BAD_NEWS and troubles.append(f"console: {it.text}"))
        page.on("pageerror", lambda it: troubles.append(f"exception: {it}"))
        page.on("requestfailed", lambda it: troubles.append(f"request failed: {it.url}"))
        page.on("response", lambda it: it.status >= 400 and troubles.append(f"{it.status}: {it.url}"))
        page.goto(url, wait_until="networkidle")
        return page

    yield open_page
    for context in contexts:
        context.close()

"""Fixtures: the built site behind a local server, and a browser to read it in; its pages as parameters."""

from urllib.parse import urlsplit

import chromium
import pytest
from built_site import DESK, SITE, serving, toc_pages
from playwright.sync_api import sync_playwright

BAD_NEWS = ("error", "warning")
ABORTED = "net::ERR_ABORTED"


def pytest_generate_tests(metafunc):
    for name, folder in (("page_name", ""), ("notebook", "notebooks/")):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, [page for page in toc_pages() if page.startswith(folder)])


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
        pytest.fail("no Chromium: `python tests/chromium.py` installs one", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*chromium.FLAGS, chromium.NO_OTHER_HOST])
        yield browser
        browser.close()


def watch(context, home, bad_news=BAD_NEWS):
    """A list to which everything that goes wrong in `context` is added: messages in the console, requests that fail,
    and requests to another host than `home`, which fail too (`chromium.NO_OTHER_HOST`)."""
    troubles = []

    def only_home(request):
        address = urlsplit(request.url)
        if address.netloc != home and address.scheme not in ("data", "blob"):
            troubles.append(f"request to another host: {request.url}")

    context.on("request", only_home)
    context.on("console", lambda it: it.type in bad_news and troubles.append(f"console: {it.text}"))
    context.on("weberror", lambda it: troubles.append(f"exception: {it.error}"))
    # what a page that leads on at once leaves behind is aborted, not failed
    context.on("requestfailed", lambda it: it.failure == ABORTED or troubles.append(f"request failed: {it.url}"))
    context.on("response", lambda it: it.status >= 400 and troubles.append(f"{it.status}: {it.url}"))
    return troubles


@pytest.fixture
def visit(browser):
    """Opens an address in a fresh context: `page = visit(url, viewport=PHONE, color_scheme="dark", …)`.

    `page.troubles` lists what has gone wrong, as `watch` says. `before(page)` is called before the page is opened,
    and `until` says when it is open.
    """
    contexts = []

    def open_page(url, before=lambda page: None, until="networkidle", bad_news=BAD_NEWS, **options):
        context = browser.new_context(**{"viewport": DESK, "color_scheme": "light"} | options)
        context.set_default_timeout(30_000)  # a busy machine is no fault of the page
        contexts.append(context)
        page = context.new_page()
        page.troubles = watch(context, urlsplit(url).netloc, bad_news)
        before(page)
        page.goto(url, wait_until=until)
        return page

    yield open_page
    for context in contexts:
        context.close()

"""What the tests of the static site share."""

from browsing import browser, site, visit  # noqa: F401
from built_site import toc_pages


def pytest_generate_tests(metafunc):
    if "page_name" in metafunc.fixturenames:
        metafunc.parametrize("page_name", toc_pages())

"""What the tests of the live versions share."""

import pytest
from browsing import browser, site, visit  # noqa: F401
from built_site import toc_pages

pytest.register_assert_rewrite("twin")


def pytest_generate_tests(metafunc):
    for name, folder in (("page_name", ""), ("notebook", "notebooks/")):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, [page for page in toc_pages() if page.startswith(folder)])

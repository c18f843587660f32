"""What the tests of the static site share."""

from browsing import browser, pytest_generate_tests, site, visit  # noqa: F401

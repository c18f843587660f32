"""What the tests of the live versions share."""

from browsing import browser, pytest_generate_tests, site, visit  # noqa: F401

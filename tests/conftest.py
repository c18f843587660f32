"""What all tests share."""

import pytest
from hypothesis import settings

# The same examples on every run: a red test is red again, and a slow machine is no failure.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

pytest.register_assert_rewrite("lab", "twin")

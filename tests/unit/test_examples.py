"""The examples of README and of the packages' docstrings do what they say."""

import doctest
from pathlib import Path

import pytest

import costmodel
import decoder.decoder

README = Path(__file__).parents[2] / "README.md"


def test_the_examples_of_readme():
    failed, attempted = doctest.testfile(str(README), module_relative=False)
    assert attempted > 5
    assert failed == 0


@pytest.mark.parametrize("module", [costmodel, decoder.decoder])
def test_the_example_of_a_module(module):
    failed, attempted = doctest.testmod(module)
    assert attempted > 0
    assert failed == 0

"""What a reader's answer is told: numbers within a tolerance, counts to the one, and what is no answer at all."""

import math
from fractions import Fraction

import numpy as np
import pytest

from course.check import check


def verdict(answer, right, **more):
    return repr(check(answer, lambda: right, **more))


@pytest.mark.parametrize("answer", [6.25, 6.2, 6.3, np.float64(6.2), np.float32(6.25), Fraction(25, 4)])
def test_a_number_agrees_within_one_percent(answer):
    assert verdict(answer, 6.25, unit="ms") == "Right: 6.25 ms."


@pytest.mark.parametrize("answer", [6.18, 6.32])
def test_a_number_that_is_further_off_does_not(answer):
    assert verdict(answer, 6.25).startswith("Not 6.")
    assert verdict(answer, 6.25, tolerance=0.02) == "Right: 6.25."


@pytest.mark.parametrize("answer", [1024, np.int64(1024), np.uint8(4) * np.uint16(256), 1024.0, 1023.2, 1024.8])
@pytest.mark.parametrize("right", [1024, np.int64(1024)])
def test_a_count_is_met_by_itself_and_by_what_rounds_to_it(answer, right):
    assert verdict(answer, right, unit="tokens") == "Right: 1,024 tokens."


@pytest.mark.parametrize("answer", [1023, 1025, 1022.9, np.uint64(1023), 1025.0])
def test_a_count_has_no_tolerance_unless_it_is_given(answer):
    assert verdict(answer, 1024).startswith("Not 1,02")
    assert verdict(answer, 1024, tolerance=0.01) == "Right: 1,024."
    assert verdict(answer, 1024, tolerance=0).startswith("Not")
    assert verdict(1024, 1024, tolerance=0) == "Right: 1,024."


@pytest.mark.parametrize(
    "answer, echo",
    [
        (16e9, "16,000,000,000: that is more"),
        (2**60, "1,152,921,504,606,846,976: that is more"),
        (123_456.7, "123,457: that is more"),
        (98.76, "98.76: that is less"),
        (0.00001234, "0.00001234: that is less"),
        (-3, "-3: that is less"),
        (0, "0: that is less"),
    ],
)
def test_a_wrong_answer_is_written_out(answer, echo):
    assert verdict(answer, 1024) == f"Not {echo} than it should be."


@pytest.mark.parametrize("answer", [math.nan, math.inf, -np.inf, np.float64("nan"), True, np.True_, "7", [7], 7j])
def test_what_is_no_number_is_an_error(answer):
    with pytest.raises(TypeError, match="answer must be a number of ms, not "):
        check(answer, lambda: 6.25, "ms")

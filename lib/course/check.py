"""Checks that a reader runs on their own answer. The expected answers are computed, never written down."""

import math
from dataclasses import dataclass

from .words import count, significant


@dataclass(frozen=True)
class Check:
    """The verdict on an answer, in one line."""

    verdict: str

    def __repr__(self):
        return self.verdict


def check(answer, expected, unit="", tolerance=0.01):
    """Compare `answer` with `expected`, a function without arguments that computes it.

    Numbers agree within the relative `tolerance`; strings agree when they are equal. None is no answer yet.
    """
    if answer is None:
        return Check("No answer yet: put yours in place of None and run the cell again.")
    right = expected()
    if isinstance(right, str):
        return Check(f"Right: {right}." if answer == right else f"Not {answer!r}. Think again.")
    if isinstance(answer, bool) or not isinstance(answer, (int, float)):
        raise TypeError(f"answer must be a number{f' of {unit}' if unit else ''}, not {answer!r}")
    if math.isclose(answer, right, rel_tol=tolerance):
        written = count(right) if isinstance(right, int) else significant(right)
        return Check(f"Right: {written}{f' {unit}' if unit else ''}.")
    return Check(f"Not {answer:g}: that is {'more' if answer > right else 'less'} than it should be.")

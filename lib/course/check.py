"""Checks that a reader runs on their own answer. The expected answers are computed, never written down."""

from dataclasses import dataclass
from math import isclose, isfinite
from numbers import Integral, Real

from .words import count, significant


@dataclass(frozen=True)
class Check:
    """The verdict on an answer, in one line."""

    verdict: str

    def __repr__(self):
        return self.verdict


def check(answer, expected, unit="", tolerance=None):
    """Compare `answer` with `expected`, a function without arguments that computes it.

    Numbers agree within the relative `tolerance`, 1% unless told. A count, which is what an int is, must be met: by
    the whole number itself or by a fraction that rounds up or down to it, unless a tolerance is told. Strings agree
    when they are equal. None is no answer yet. TypeError where a number is expected and the answer is none.
    """
    if answer is None:
        return Check("No answer yet: put yours in place of None and run the cell again.")
    right = expected()
    if isinstance(right, str):
        return Check(f"Right: {right}." if answer == right else f"Not {answer!r}. Think again.")
    number = isinstance(answer, Real) and not isinstance(answer, bool)
    if not number or not (isinstance(answer, Integral) or isfinite(answer)):
        raise TypeError(f"answer must be a number{f' of {unit}' if unit else ''}, not {answer!r}")
    answer = int(answer) if answer == int(answer) else float(answer)
    counted = isinstance(right, Integral)
    if counted and tolerance is None:
        agrees = abs(answer - right) < 1
    else:
        agrees = isclose(answer, right, rel_tol=0.01 if tolerance is None else tolerance)
    if agrees:
        return Check(f"Right: {count(right) if counted else significant(right)}{f' {unit}' if unit else ''}.")
    written = count(answer) if isinstance(answer, int) or abs(answer) >= 1000 else significant(answer, digits=4)
    return Check(f"Not {written}: that is {'more' if answer > right else 'less'} than it should be.")

"""Numbers as words: the one way in which quantities are written in figures and checks."""

import math


def count(value):
    """A count with its thousands marked: 131,072."""
    return f"{value:,.0f}"


def rate(per_second):
    """So many per second, as a whole number from ten on: 20,426, 31, 1.64."""
    return count(per_second) if per_second >= 9.995 else significant(per_second)


def duration(seconds, in_seconds_from=1):
    """A time in milliseconds, and in seconds where it has `in_seconds_from` of them or more: 28.4 ms, 2.46 s."""
    if seconds < 0.9995 * in_seconds_from:  # what would be rounded up to the limit has reached it
        return f"{significant(seconds * 1e3)} ms"
    return f"{significant(seconds)} s"


def milliseconds(seconds):
    """A time beside a scale of milliseconds, in seconds from a hundred on: 0.0277 ms, 11,137 ms, 565 s."""
    return duration(seconds, in_seconds_from=100)


def percent(share, digits=2):
    """A share in percent to so many significant digits; what is not the whole is never 100%: 0.23%, over 99%."""
    if share < 1 and float(f"{100 * share:.{digits}g}") == 100:
        return f"over {100 - 10 ** (2 - digits):g}%"
    return f"{significant(100 * share, digits)}%"


def significant(value, digits=3):
    """A number to so many significant digits, trailing zeros included, never in powers of ten: 6.20, 0.0277, 1,234."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits}g}")
    decimals = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{value:,.{max(decimals, 0)}f}"


def tick(value, _=None):
    """A number on an axis, as short as it goes: 0, 2.5, 3,500. matplotlib's formatters pass a second argument."""
    return f"{value:,.6f}".rstrip("0").rstrip(".")


def told_apart(one, other):
    """Two numbers with as few decimals as show that they differ: 84 and 80, 141.1 and 141.0."""
    for decimals in range(10):
        written = f"{one:,.{decimals}f}", f"{other:,.{decimals}f}"
        if written[0] != written[1]:
            break
    return written


def listed(items):
    """Words or numbers in a sentence: a, b and c."""
    *others, last = map(str, items)
    return f"{', '.join(others)} and {last}" if others else last


def basis(assumptions, model, accelerator):
    """The line under every figure that depends on them; it says so where the weights alone exceed the memory."""
    line = f"{model.name} on one {accelerator.name}. Estimate: {assumptions}."
    if model.weight_bytes <= accelerator.memory:
        return line
    weights, memory = told_apart(model.weight_bytes / 1e9, accelerator.memory / 1e9)
    return f"{line} The weights, {weights} GB, do not fit in its memory, {memory} GB."


def holds_none(model, accelerator):
    """The sentence for where memory holds no request: beside the weights, or because they fill it."""
    return f"Memory does not hold {'a single request' if model.weight_bytes <= accelerator.memory else 'the weights'}."

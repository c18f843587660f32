"""Numbers as words: the one way in which quantities are written in figures and checks."""

import math


def count(value):
    """A count with its thousands marked: 131,072."""
    return f"{value:,.0f}"


def milliseconds(seconds):
    """A time in milliseconds to three significant digits: 28.4 ms, 0.0277 ms, 1,234 ms."""
    return f"{significant(seconds * 1e3)} ms"


def significant(value, digits=3):
    """A number to so many significant digits, trailing zeros included, never in powers of ten: 6.20, 0.0277, 1,234."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits}g}")
    decimals = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{value:,.{max(decimals, 0)}f}"


def listed(items):
    """Words or numbers in a sentence: a, b and c."""
    *others, last = map(str, items)
    return f"{', '.join(others)} and {last}" if others else last


def basis(assumptions, model, accelerator):
    """The line under every figure that depends on them; it says so where the weights alone exceed the memory."""
    line = f"{model.name} on one {accelerator.name}. Estimate: {assumptions}."
    if model.weight_bytes <= accelerator.memory:
        return line
    weights, memory = significant(model.weight_bytes / 1e9), count(accelerator.memory / 1e9)
    return f"{line} The weights, {weights} GB, do not fit in its memory, {memory} GB."

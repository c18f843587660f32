"""Checks of what callers pass in: every error names the argument, the value and what is accepted."""

import math
import numbers

import numpy as np

from ._contents import read_only

# Counts are computed in float64, which holds every whole number up to here.
LARGEST_COUNT = 2**53


def whole(name, value, at_least):
    """`value` as an int, or as a read-only int64 array that shares no memory with the caller's.

    TypeError where it is not of an integer type, ValueError where it is out of range; in an array the first
    offending element is named.
    """
    if not isinstance(value, (np.ndarray, list, tuple)):
        return whole_number(name, value, at_least)
    accepted = f"{name} must be a whole number of at least {at_least}"
    array = _array(accepted, value)
    if array.dtype.kind == "O":  # a sequence, whole numbers beyond 64 bits, whatever is no number
        for index, element in np.ndenumerate(array):
            whole_number(f"{name}{_at(index)}", element, at_least)
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        elements = list(np.ndenumerate(array)) or [((), array)]
        index, element = next((pair for pair in elements if not _is_integral(pair[1])), elements[0])
        raise TypeError(f"{accepted}, or an array of an integer type, not {element!r}{_at(index)}")
    if array.ndim == 0:
        return whole_number(name, int(array), at_least)
    for bad in (array < at_least, array > LARGEST_COUNT):
        if bad.any():
            index = np.unravel_index(np.argmax(bad), array.shape)
            whole_number(f"{name}{_at(index)}", array[index], at_least)
    return read_only(array.astype(np.int64))


def whole_number(name, value, at_least):
    """`value` as an int."""
    accepted = f"{name} must be a whole number of at least {at_least}"
    if not _is_a(numbers.Integral, value):
        raise TypeError(f"{accepted}, not {value!r}")
    if value < at_least:
        raise ValueError(f"{accepted}, not {value}")
    if value > LARGEST_COUNT:
        raise ValueError(f"{name} must be at most 2**53, not {value}")
    return int(value)


def _array(accepted, value):
    """A sequence or an array as an array. Elements of a sequence stay what they are: True is not made a 1."""
    sequence = not isinstance(value, np.ndarray)
    if np.ma.is_masked(value) or (sequence and any(map(np.ma.is_masked, value))):
        raise ValueError(f"{accepted}, or an array of such without masked elements, not {value!r}")
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{accepted}, or an array of such, not the ragged {value!r}") from None
    return np.array(value, dtype=object) if sequence and array.size else array


def _is_a(kind, value):
    """Whether `value` is a number of the kind. To Python True is one, and to NumPy a span of time."""
    return isinstance(value, kind) and not isinstance(value, (bool, np.timedelta64))


def _is_integral(element):
    return _is_a(numbers.Real, element) and math.isfinite(element) and element == int(element)


def _at(index):
    return f" at index {', '.join(map(str, index))}" if index else ""


def real(name, value, *, unit=None, above=None, at_least=None, at_most=None, infinite=False):
    """`value` as a float. TypeError where it is not a real number, ValueError where it is out of range."""
    limits = [("above", above), ("at least", at_least), ("at most", at_most)]
    bounds = " and ".join(f"{word} {limit:g}" for word, limit in limits if limit is not None)
    accepted = f"{name} must be a {'' if infinite else 'finite '}number {f'of {unit} ' if unit else ''}{bounds}"
    if not _is_a(numbers.Real, value):
        raise TypeError(f"{accepted}, not {value!r}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{accepted}, not {value!r}, which no float64 holds") from None
    if not _within(number, above, at_least, at_most, infinite):
        raise ValueError(f"{accepted}, not {value!r}")
    return number


def _within(number, above=None, at_least=None, at_most=None, infinite=False):
    """Whether a float, or each of an array, is in range."""
    within = np.isfinite(number) | infinite
    for bound, compare in ((above, np.greater), (at_least, np.greater_equal), (at_most, np.less_equal)):
        if bound is not None:
            within = within & compare(number, bound)
    return within


def reals(name, value, **limits):
    """`value` as a float, or as a read-only float64 array of numbers that `real` accepts, the first offender named.

    The array shares no memory with the caller's.
    """
    if not isinstance(value, (np.ndarray, list, tuple)):
        return real(name, value, **limits)
    array = _array(f"{name} must be a number", value)
    if array.ndim == 0:
        return real(name, array[()], **limits)
    number = array.dtype.kind in "iuf"  # else each element is looked at
    for index in map(tuple, np.argwhere(~_within(array, **limits) if number else np.ones(array.shape))):
        real(f"{name}{_at(index)}", array[index], **limits)
    return read_only(array.astype(np.float64))


def choice(name, value, accepted):
    """`value` as a plain string, if it is one of `accepted`."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {', '.join(map(repr, accepted))}, not {value!r}")
    if value not in accepted:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, accepted))}, not {value!r}")
    return str(value)


def choices(name, value, accepted):
    """`value` as a plain string, or as a read-only array of such, if each is one of `accepted`."""
    if not isinstance(value, np.ndarray):
        return choice(name, value, accepted)
    bad = np.logical_and.reduce([value != each for each in accepted])
    for index in map(tuple, np.argwhere(bad)):
        choice(f"{name}{_at(index)}", value[index], accepted)
    return read_only(value.copy())


def text(name, value):
    """`value` as a plain string, if it is a string."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {value!r}")
    return str(value)


def flag(name, value):
    """`value`, if it is True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return value


def instance(name, value, kind):
    """`value`, if it is an instance of `kind`."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be of type {kind.__name__}, not {value!r}")
    return value


def common_shape(**arguments):
    """The shape to which the arguments, ints and arrays, broadcast."""
    try:
        return np.broadcast_shapes(*map(np.shape, arguments.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {np.shape(value)}" for name, value in arguments.items())
        raise ValueError(f"the shapes of the arguments must broadcast against each other, not {shapes}") from None

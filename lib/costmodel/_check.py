"""Checks of what callers pass in: every error names the argument, the value and what is accepted."""

import math
import numbers

import numpy as np

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
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{accepted}, or an array of such, not the ragged {value!r}") from None
    if array.dtype.kind == "O":  # whole numbers beyond 64 bits, and whatever is no number
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
    array = array.astype(np.int64)
    array.setflags(write=False)
    return array


def whole_number(name, value, at_least):
    """`value` as an int."""
    accepted = f"{name} must be a whole number of at least {at_least}"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{accepted}, not {value!r}")
    if value < at_least:
        raise ValueError(f"{accepted}, not {value}")
    if value > LARGEST_COUNT:
        raise ValueError(f"{name} must be at most 2**53, not {value}")
    return int(value)


def _is_integral(element):
    return isinstance(element, numbers.Real) and math.isfinite(element) and element == int(element)


def _at(index):
    return f" at index {', '.join(map(str, index))}" if index else ""


def real(name, value, *, above=None, at_least=None, at_most=None, infinite=False):
    """`value` as a float. TypeError where it is not a real number, ValueError where it is out of range."""
    limits = [("above", above), ("at least", at_least), ("at most", at_most)]
    bounds = " and ".join(f"{word} {limit:g}" for word, limit in limits if limit is not None)
    accepted = f"{name} must be a {'' if infinite else 'finite '}number {bounds}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{accepted}, not {value!r}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{accepted}, not {value!r}, which no float64 holds") from None
    within = (
        (infinite or math.isfinite(number))
        and (above is None or number > above)
        and (at_least is None or number >= at_least)
        and (at_most is None or number <= at_most)
    )
    if not within:
        raise ValueError(f"{accepted}, not {value!r}")
    return number


def reals(name, value, **limits):
    """`value` as a float, or as a float64 array of numbers that `real` accepts, the first offender named."""
    if not isinstance(value, (np.ndarray, list, tuple)):
        return real(name, value, **limits)
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be a number or an array of such, not the ragged {value!r}") from None
    for index, element in np.ndenumerate(array):
        real(f"{name}{_at(index)}", element, **limits)
    return array.astype(np.float64)


def choice(name, value, accepted):
    """`value`, if it is one of `accepted`."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {', '.join(map(repr, accepted))}, not {value!r}")
    if value not in accepted:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, accepted))}, not {value!r}")
    return value


def text(name, value):
    """`value`, if it is a string."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {value!r}")
    return value


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

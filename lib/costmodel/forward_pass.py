"""What one forward pass processes: how many new tokens for how many requests, on top of what is cached."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from . import _check
from ._number import as_count, as_float, total


@dataclass(frozen=True)
class Group:
    """Like requests of one pass: each of `batch` requests feeds `new` tokens and has `cached` past positions.

    Each is an int or an integer array; arrays broadcast against each other.
    """

    new: int
    cached: int = 0
    batch: int = 1

    def __post_init__(self):
        for field, at_least in (("new", 1), ("cached", 0), ("batch", 1)):
            object.__setattr__(self, field, _check.whole(field, getattr(self, field), at_least))
        self.shape  # noqa: B018 - raises where the fields do not broadcast

    @property
    def shape(self):
        """Shape of the sweep that the group describes; () for plain numbers."""
        return _check.common_shape(**self.sizes)

    @property
    def sizes(self):
        """The three fields by name."""
        return {"new": self.new, "cached": self.cached, "batch": self.batch}

    @cached_property
    def _floats(self):  # converted once, as a sweep's sums would otherwise spend half their time on it
        return [as_float(size) for size in self.sizes.values()]


@dataclass(frozen=True)
class ForwardPass:
    """One pass through the model. It holds groups of like requests; `+` joins two passes into a mixed one.

    The sums below are ints, or float64 arrays of the sweep's `shape` where the groups hold arrays.
    """

    groups: tuple[Group, ...]

    def __post_init__(self):
        if not isinstance(self.groups, tuple) or not self.groups:
            raise TypeError(f"groups must be a tuple of at least one Group, not {self.groups!r}")
        for group in self.groups:
            _check.instance("groups", group, Group)
        self.shape  # noqa: B018 - raises where the groups do not fit together

    def __add__(self, other):
        if not isinstance(other, ForwardPass):
            return NotImplemented
        return ForwardPass(self.groups + other.groups)

    @property
    def shape(self):
        """Shape of the sweep that the pass describes; () for a single pass."""
        fields = {
            f"{name} of group {i}": value for i, group in enumerate(self.groups) for name, value in group.sizes.items()
        }
        return _check.common_shape(**fields)

    @property
    def tokens(self):
        """New tokens of all requests: the rows that every linear layer multiplies."""
        return self._sum(lambda new, cached, batch: new * batch)

    @property
    def requests(self):
        """Requests in the pass: the positions whose next token is wanted."""
        return self._sum(lambda new, cached, batch: batch)

    @property
    def positions_written(self):
        """Positions whose keys and values the pass adds to the cache."""
        return self.tokens

    def positions_read(self, window=None):
        """Cached positions whose keys and values the pass reads, each once per request.

        Under a window the earliest new token needs the window - 1 positions before it.
        """
        if window is None:
            return self._sum(lambda new, cached, batch: cached * batch)
        window = _check.whole_number("window", window, 1)
        return self._sum(lambda new, cached, batch: np.minimum(cached, window - 1) * batch)

    def attended_pairs(self, window=None):
        """(query, key) pairs of causal attention: new · cached + new · (new + 1) / 2 for each request.

        Under a window each query attends to at most `window` positions, itself included.
        """
        if window is None:
            return self._sum(lambda new, cached, batch: (new * cached + new * (new + 1) / 2) * batch)
        window = _check.whole_number("window", window, 1)
        return self._sum(lambda new, cached, batch: (_pairs(cached + new, window) - _pairs(cached, window)) * batch)

    def square_pairs(self):
        """(query, key) pairs where nothing is masked away: new · (cached + new) for each request."""
        return self._sum(lambda new, cached, batch: new * (cached + new) * batch)

    def _sum(self, quantity):
        return as_count(total(quantity(*group._floats) for group in self.groups), self.shape)


def _pairs(length, window):
    """Pairs of a causal sequence of `length` positions, each attending to at most `window`."""
    full = np.minimum(length, window)
    return full * (full + 1) / 2 + (length - full) * window


def prefill(tokens, cached=0, batch=1):
    """A pass in which each of `batch` requests feeds `tokens` new positions on top of `cached` stored ones."""
    return ForwardPass((Group(_check.whole("tokens", tokens, 1), cached, batch),))


def decode(cached, batch=1):
    """A pass in which each of `batch` requests feeds one new token and has `cached` past positions.

    The attended length is cached + 1: the new token attends to itself too.
    """
    return ForwardPass((Group(1, cached, batch),))

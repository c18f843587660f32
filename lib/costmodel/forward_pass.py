"""What one forward pass processes: how many new tokens for how many requests, on top of what is cached."""

import functools
import operator
from dataclasses import dataclass

import numpy as np

from . import _check
from ._contents import ByContents
from ._number import as_count, as_float


@dataclass(frozen=True, eq=False)
class Group(ByContents):
    """Like requests of one pass: each of `batch` requests feeds `new` tokens and has `cached` past positions.

    Each is an int or an integer array; arrays broadcast against each other.
    """

    new: int
    cached: int = 0
    batch: int = 1

    def __post_init__(self):
        for field, at_least in (("new", 1), ("cached", 0), ("batch", 1)):
            object.__setattr__(self, field, _check.whole(field, getattr(self, field), at_least))
        _check.common_shape(**vars(self))

    # What one of the requests needs, in float64.

    def positions_read(self, window=None):
        """Cached positions whose keys and values one request reads.

        Under a window its earliest new token needs the window - 1 positions before it.
        """
        cached = as_float(self.cached)
        return cached if window is None else _smaller(cached, _check.whole_number("window", window, 1) - 1)

    def attended_pairs(self, window=None):
        """(query, key) pairs of causal attention: new · cached + new · (new + 1) / 2.

        Under a window each query attends to at most `window` positions, itself included.
        """
        new, cached = as_float(self.new), as_float(self.cached)
        if window is None:
            return new * cached + new * (new + 1) / 2
        window = _check.whole_number("window", window, 1)
        return _pairs(cached + new, window) - _pairs(cached, window)

    def square_pairs(self):
        """(query, key) pairs where nothing is masked away: new · (cached + new)."""
        new, cached = as_float(self.new), as_float(self.cached)
        return new * (cached + new)


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
        groups = enumerate(self.groups)
        return _check.common_shape(
            **{f"{name} of group {i}": size for i, g in groups for name, size in vars(g).items()}
        )

    @property
    def tokens(self):
        """New tokens of all requests: the rows that every linear layer multiplies."""
        return self.total(lambda group: as_float(group.new))

    @property
    def requests(self):
        """Requests in the pass: the positions whose next token is wanted."""
        return self.total(lambda group: 1.0)

    @property
    def positions_written(self):
        """Positions whose keys and values the pass adds to the cache."""
        return self.tokens

    def positions_read(self, window=None):
        """Cached positions whose keys and values the pass reads, each once per request."""
        return self.total(lambda group: group.positions_read(window))

    def attended_pairs(self, window=None):
        """(query, key) pairs of causal attention in all requests."""
        return self.total(lambda group: group.attended_pairs(window))

    def square_pairs(self):
        """(query, key) pairs of all requests where nothing is masked away."""
        return self.total(lambda group: group.square_pairs())

    def total(self, of_one_request, shared=0.0):
        """The sum over all requests of a quantity that `of_one_request` gives for one request of a group.

        shared: what the pass has once, whoever is in it.
        """
        # the scalars first: over a sweep of batch sizes a group then costs one operation on an array
        parts = [of_one_request(group) * as_float(group.batch) for group in self.groups]
        return as_count(functools.reduce(operator.add, parts, shared), self.shape)


def _pairs(length, window):
    """Pairs of a causal sequence of `length` positions, each attending to at most `window`."""
    full = _smaller(length, window)
    return full * (full + 1) / 2 + (length - full) * window


def _smaller(length, bound):
    return as_float(np.minimum(length, bound))


def prefill(tokens, cached=0, batch=1):
    """A pass in which each of `batch` requests feeds `tokens` new positions on top of `cached` stored ones."""
    return ForwardPass((Group(_check.whole("tokens", tokens, 1), cached, batch),))


def decode(cached, batch=1):
    """A pass in which each of `batch` requests feeds one new token and has `cached` past positions.

    The attended length is cached + 1: the new token attends to itself too.
    """
    return ForwardPass((Group(1, cached, batch),))

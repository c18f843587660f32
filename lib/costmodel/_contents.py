"""Dataclasses that hold arrays."""

import dataclasses

import numpy as np


def read_only(value):
    """`value`; where it is an array, one that cannot be written to."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    return value


class ByContents:
    """A frozen dataclass whose fields may hold read-only arrays. Give it `eq=False`.

    It is compared and hashed by what the arrays hold. Copies and pickles are made anew by the constructor, which
    checks and freezes: NumPy's own copies could be written to.
    """

    def __eq__(self, other):
        return self._contents() == other._contents() if type(other) is type(self) else NotImplemented

    def __hash__(self):
        return hash(self._contents())

    def __reduce__(self):
        return type(self), self._arguments()

    def _arguments(self):
        return tuple(getattr(self, field.name) for field in dataclasses.fields(self) if field.init)

    def _contents(self):
        return tuple(
            (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value for value in self._arguments()
        )

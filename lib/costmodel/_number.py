"""Arithmetic in float64 for scalars and arrays alike, so that both give the same bits.

Float64 is exact for whole numbers up to 2**53 (9e15) and holds 16 digits beyond, where int64 would overflow.
"""

import numpy as np


def as_float(value):
    """An int as a float, an array as a float64 array."""
    return value.astype(np.float64, copy=False) if isinstance(value, np.ndarray) else float(value)


def as_count(value, shape):
    """A computed count as it is handed out: an int, or over a sweep a float64 array of the sweep's shape."""
    return np.broadcast_to(value, shape) if shape else int(value)

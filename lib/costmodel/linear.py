"""One linear layer: X [tokens, d_in] times W [d_in, d_out] gives Y [tokens, d_out]."""

from . import _check
from ._contents import read_only
from ._number import as_count, as_float


def linear_flops(tokens, d_in, d_out):
    """FLOPs of a linear layer: 2 · tokens · d_in · d_out, a multiply and an add for each weight and token.

    Arguments are ints or integer arrays that broadcast. A bias is not counted.
    """
    (tokens, d_in, d_out), shape = _sizes(tokens=tokens, d_in=d_in, d_out=d_out)
    return as_count(2 * tokens * d_in * d_out, shape)


def linear_weights(d_in, d_out):
    """Weight elements of a linear layer: d_in · d_out, whatever the number of tokens."""
    (d_in, d_out), shape = _sizes(d_in=d_in, d_out=d_out)
    return as_count(d_in * d_out, shape)


def linear_intensity(tokens, d_in, d_out, bytes_per_element=2, activations=True):
    """Arithmetic intensity of a linear layer in FLOPs per byte moved.

    Bytes moved are W once and, with `activations`, X once and Y once, `bytes_per_element` each:
    2 · T · d_in · d_out / (bytes_per_element · (d_in · d_out + T · (d_in + d_out))).
    Without activations it is 2 · T / bytes_per_element; with them it tends to
    2 / bytes_per_element · d_in · d_out / (d_in + d_out) as T grows. `bytes_per_element` is from 0.001 to 1000.
    """
    (tokens, d_in, d_out), _ = _sizes(tokens=tokens, d_in=d_in, d_out=d_out)
    bytes_per_element = _check.real("bytes_per_element", bytes_per_element, at_least=1e-3, at_most=1e3)
    elements = d_in * d_out
    if _check.flag("activations", activations):
        elements = elements + tokens * (d_in + d_out)
    return read_only(2 * tokens * d_in * d_out / (bytes_per_element * elements))


def _sizes(**sizes):
    sizes = {name: _check.whole(name, size, 1) for name, size in sizes.items()}
    return map(as_float, sizes.values()), _check.common_shape(**sizes)

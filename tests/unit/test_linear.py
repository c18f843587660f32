"""One linear layer: X [T, d_in] times W [d_in, d_out]."""

import numpy as np
import pytest
from drawn import sizes
from hypothesis import given

from costmodel import linear_flops, linear_intensity, linear_weights


def test_four_rows_use_the_same_weights_for_four_times_the_flops():
    """The article's figure 3."""
    assert linear_flops(1, 4096, 14336) == 2 * 4096 * 14336
    assert linear_flops(4, 4096, 14336) == 4 * linear_flops(1, 4096, 14336)
    assert linear_weights(4096, 14336) == 58_720_256


@given(sizes(20), sizes(20), sizes(20))
def test_flops_against_multiplying_by_hand(tokens, d_in, d_out):
    assert linear_flops(tokens, d_in, d_out) == sum(2 for _ in np.ndindex(tokens, d_in, d_out))
    assert linear_weights(d_in, d_out) == np.ones((d_in, d_out)).size


def test_intensity_counts_what_moves():
    assert linear_intensity(8, 100, 50, bytes_per_element=1) == 2 * 8 * 5000 / (5000 + 8 * 150)
    assert linear_intensity(8, 100, 50, bytes_per_element=4) == linear_intensity(8, 100, 50, bytes_per_element=1) / 4
    assert linear_intensity(8, 100, 50) == linear_intensity(8, 100, 50, bytes_per_element=2)


def test_intensity_without_activations_is_the_number_of_tokens():
    assert linear_intensity(np.array([1, 7, 512]), 4096, 14336, activations=False).tolist() == [1, 7, 512]


def test_intensity_tends_to_its_limit_from_below():
    limit = 4096 * 14336 / (4096 + 14336)
    intensity = linear_intensity(np.array([1, 1000, 10**6, 10**9]), 4096, 14336)
    assert (np.diff(intensity) > 0).all() and intensity[-1] < limit
    assert intensity[-1] == pytest.approx(limit, rel=1e-5)


def test_sweeps_broadcast_and_single_layers_give_plain_numbers():
    assert linear_flops(np.array([[1], [2]]), 3, np.array([5, 6])).tolist() == [[30, 36], [60, 72]]
    assert linear_weights(np.array([3, 4]), 5).tolist() == [15, 20]
    assert type(linear_flops(1, 2, 3)) is int and type(linear_weights(2, 3)) is int
    assert type(linear_intensity(1, 2, 3)) is float
    assert linear_flops(2**40, 2**40, 2**40) == 2**121

"""What a pass holds, against counting it position by position."""

import numpy as np
import pytest
from drawn import groups, sizes
from hypothesis import given
from hypothesis import strategies as st

from costmodel import ForwardPass, Group, decode, prefill


def attended(new, cached, window):
    """For each new token the positions that it attends to."""
    queries = range(cached, cached + new)
    return [range(max(0, query + 1 - (window or query + 1)), query + 1) for query in queries]


@given(st.lists(groups, min_size=1, max_size=3), st.none() | sizes(500))
def test_sums_against_brute_force(drawn, window):
    forward_pass = ForwardPass(tuple(Group(*group) for group in drawn))
    assert forward_pass.tokens == sum(new * batch for new, _, batch in drawn)
    assert forward_pass.requests == sum(batch for _, _, batch in drawn)
    assert forward_pass.positions_written == forward_pass.tokens
    pairs, read = 0, 0
    for new, cached, batch in drawn:
        keys = attended(new, cached, window)
        pairs += batch * sum(map(len, keys))
        read += batch * len([position for position in range(cached) if position >= keys[0].start])
    assert forward_pass.attended_pairs(window) == pairs
    assert forward_pass.positions_read(window) == read
    assert forward_pass.square_pairs() == sum(new * (cached + new) * batch for new, cached, batch in drawn)


def test_prefill_and_decode_are_groups():
    assert prefill(4) == ForwardPass((Group(new=4, cached=0, batch=1),))
    assert prefill(4, cached=3, batch=2) == ForwardPass((Group(new=4, cached=3, batch=2),))
    assert decode(5) == ForwardPass((Group(new=1, cached=5, batch=1),))
    assert decode(cached=5, batch=8) == prefill(1, cached=5, batch=8)


def test_a_decode_attends_to_itself_too():
    """The article's figure 2: four positions of prefill, then one new token that attends to five."""
    assert prefill(4).attended_pairs() == 10
    assert decode(4).attended_pairs() == 5
    assert (decode(4).positions_read(), decode(4).positions_written) == (4, 1)


def test_a_sum_of_passes_is_a_mixed_pass():
    mixed = prefill(4) + decode(np.array([10, 20]), batch=3) + decode(5)
    assert mixed.groups == (*prefill(4).groups, *mixed.groups[1:2], *decode(5).groups)
    assert mixed.shape == (2,)
    assert mixed.tokens.tolist() == [8, 8]
    assert mixed.requests.tolist() == [5, 5]
    assert mixed.positions_read().tolist() == [35, 65]
    with pytest.raises(TypeError):
        prefill(4) + 4


def test_arrays_broadcast_and_are_not_shared():
    cached = np.array([1, 2, 3])
    sweep = decode(cached, batch=np.array([[1], [10]]))
    cached[:] = 99
    assert sweep.shape == (2, 3)
    assert sweep.positions_read().tolist() == [[1, 2, 3], [10, 20, 30]]
    with pytest.raises(ValueError):
        sweep.groups[0].cached[0] = 5


@pytest.mark.parametrize("tokens", [[2, 3], (2, 3), np.array([2, 3], np.uint8), np.array([2, 3], object)])
def test_integers_of_any_kind_are_taken(tokens):
    assert prefill(tokens).tokens.tolist() == [2, 3]
    assert prefill(tokens[1]).tokens == 3


def test_small_integer_types_do_not_overflow():
    assert prefill(np.array([200], np.uint8), batch=np.uint8(200)).tokens.tolist() == [40_000]
    assert prefill(2**40, batch=2**40).tokens == 2**80
    assert prefill(np.array([2**40]), batch=2**40).tokens.tolist() == [2.0**80]


def test_plain_numbers_for_a_single_pass():
    single = prefill(3, cached=np.int64(2))
    sums = (single.tokens, single.requests, single.attended_pairs(), single.attended_pairs(2), single.positions_read())
    assert {type(value) for value in sums} == {int}
    group = single.groups[0]
    of_one = [group.positions_read(), group.positions_read(2), group.attended_pairs(2), group.square_pairs()]
    assert {type(value) for value in of_one} == {float}

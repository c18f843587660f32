"""What holds arrays over a sweep is compared by their contents, survives copying, and cannot be written to."""

import copy
import pickle

import numpy as np
import pytest

from costmodel import (
    H100,
    LLAMA_3_8B,
    attainable,
    compute_bound_batch,
    count,
    decode,
    decode_ceiling,
    estimate,
    generation,
    kv_parity_batch,
    linear_flops,
    linear_intensity,
    linear_weights,
    max_batch,
    prefill,
)

MAKERS = {
    "Group": lambda sizes: decode(sizes).groups[0],
    "ForwardPass": lambda sizes: prefill(sizes + 1) + decode(7),
    "Work": lambda sizes: count(LLAMA_3_8B, decode(sizes)),
    "Estimate": lambda sizes: estimate(decode(sizes), LLAMA_3_8B, H100),
    "Generation": lambda sizes: generation(sizes + 1, 3, LLAMA_3_8B, H100),
    "DecodeCeiling": lambda sizes: decode_ceiling(LLAMA_3_8B, H100, sizes),
}
SIZES = [7, np.array([1, 2]), np.array([[1], [2]]), np.array([1, 3])]


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_equal_where_the_contents_are(maker):
    made, again = [maker(sizes) for sizes in SIZES], [maker(sizes) for sizes in SIZES]
    for i, one in enumerate(made):
        assert [one == other for other in again] == [i == j for j in range(len(SIZES))]
        assert hash(one) == hash(again[i])
    assert made[0] != 7


def arrays(thing):
    """All arrays that are held, however deep."""
    if isinstance(thing, np.ndarray):
        return [thing]
    held = thing if isinstance(thing, tuple) else vars(thing).values() if hasattr(thing, "__dict__") else ()
    return [array for each in held for array in arrays(each)]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_copies_are_equal_and_cannot_be_written_to(maker, copied):
    for one in map(maker, SIZES):
        other = copied(one)
        assert other == one and type(other) is type(one)
        for held in (one, other):
            assert not any(array.flags.writeable for array in arrays(held))
    assert arrays(maker(SIZES[1]))


SWEEP = np.array([1, 2])


@pytest.mark.parametrize(
    "result",
    [
        linear_flops(SWEEP, 3, 4),
        linear_weights(SWEEP, 3),
        linear_intensity(SWEEP, 3, 4),
        attainable(SWEEP, H100),
        kv_parity_batch(LLAMA_3_8B, SWEEP),
        compute_bound_batch(LLAMA_3_8B, H100, SWEEP),
        max_batch(LLAMA_3_8B, H100, SWEEP),
    ],
)
def test_results_of_a_sweep_cannot_be_written_to(result):
    with pytest.raises(ValueError, match="read-only"):
        result[0] = 7

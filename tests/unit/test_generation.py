"""A request from prompt to last token is the passes that it is made of."""

import numpy as np
import pytest
from drawn import accelerators, assumptions, models, sizes
from hypothesis import given
from hypothesis import strategies as st

from costmodel import EXACT, H100, LLAMA_3_8B, PLATE, decode, estimate, generation, prefill


@given(models(), accelerators(), assumptions, sizes(300), st.integers(2, 40), sizes(8))
def test_it_is_one_prefill_and_a_decode_for_each_further_token(model, accelerator, assumed, prompt, output, batch):
    run = generation(prompt, output, model, accelerator, assumed, batch)
    first = estimate(prefill(prompt, batch=batch), model, accelerator, assumed).seconds
    decodes = [estimate(decode(prompt + i, batch), model, accelerator, assumed).seconds for i in range(output - 1)]
    assert run.time_to_first_token_seconds == first
    assert run.decode_seconds.tolist() == decodes
    assert run.total_seconds == pytest.approx(first + sum(decodes), rel=1e-12)
    assert run.time_per_output_token_seconds == pytest.approx(sum(decodes) / (output - 1), rel=1e-12)


def test_total_is_the_first_token_and_the_sum_of_the_rest():
    run = generation(1000, 500, LLAMA_3_8B, H100)
    assert run.total_seconds == run.time_to_first_token_seconds + run.decode_seconds.sum()
    assert (np.diff(run.decode_seconds) > 0).all()  # each decode finds one more position cached


def test_the_default_assumptions_are_the_plates():
    assert generation(1000, 5, LLAMA_3_8B, H100) == generation(1000, 5, LLAMA_3_8B, H100, PLATE)
    assert generation(1000, 5, LLAMA_3_8B, H100) != generation(1000, 5, LLAMA_3_8B, H100, EXACT)


def test_one_output_token_is_the_prefill_alone():
    run = generation(1000, 1, LLAMA_3_8B, H100)
    assert run.total_seconds == run.time_to_first_token_seconds
    assert run.decode_seconds.shape == (0,)
    assert run.time_per_output_token_seconds is None


def test_a_sweep_gives_the_same_bits_as_single_requests():
    prompts, batches = np.array([1, 17, 1000]), np.array([[1], [64]])
    sweep = generation(prompts, 300, LLAMA_3_8B, H100, EXACT, batches)
    assert sweep.decode_seconds.shape == (2, 3, 299)
    for row, batch in enumerate(batches[:, 0]):
        for column, prompt in enumerate(prompts):
            single = generation(int(prompt), 300, LLAMA_3_8B, H100, EXACT, int(batch))
            for field in ("time_to_first_token_seconds", "time_per_output_token_seconds", "total_seconds"):
                assert getattr(sweep, field)[row, column] == getattr(single, field)
            assert sweep.decode_seconds[row, column].tolist() == single.decode_seconds.tolist()


def test_plain_numbers_for_a_single_request():
    run = generation(10, 5, LLAMA_3_8B, H100)
    for field in ("time_to_first_token_seconds", "time_per_output_token_seconds", "total_seconds"):
        assert type(getattr(run, field)) is float

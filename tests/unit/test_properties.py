"""What must hold for every model, accelerator and pass: laws of counting and timing on drawn examples."""

import math
from dataclasses import replace

import numpy as np
from drawn import accelerators, accountings, assumptions, models, passes, sizes
from hypothesis import example, given
from hypothesis import strategies as st

from costmodel import H100, LLAMA_3_8B, PLATE, count, decode, estimate, prefill

SIZES = st.fixed_dictionaries({"tokens": sizes(400), "cached": st.integers(0, 400), "batch": sizes(40)})
ROUNDING = 1e-14  # of a soft knee, whose powers are rounded; hard knees are compared exactly


@given(models(), accelerators(), assumptions, SIZES, st.sampled_from(["tokens", "cached", "batch"]), sizes(100))
def test_nothing_falls_as_tokens_cached_or_batch_grow(model, accelerator, assumed, size, grows, by):
    before = estimate(prefill(**size), model, accelerator, assumed)
    after = estimate(prefill(**size | {grows: size[grows] + by}), model, accelerator, assumed)
    assert after.flops >= before.flops
    assert after.bytes >= before.bytes
    slack = 0 if math.isinf(assumed.knee) else ROUNDING
    assert after.seconds >= before.seconds * (1 - slack)


CHUNKS = st.lists(sizes(60), min_size=1, max_size=6)


def in_chunks(chunks, cached, batch):
    """The passes that feed a prompt's chunks one after another."""
    return [prefill(chunk, cached + sum(chunks[:i]), batch) for i, chunk in enumerate(chunks)]


@given(models(), accountings, CHUNKS, st.integers(0, 400), sizes(5))
def test_a_prompt_in_chunks_costs_the_flops_of_one_prefill(model, accounting, chunks, cached, batch):
    """Exactly so where attention is causal and the output head is computed at every position. At the last position
    alone, each further pass computes one head more for each request."""
    causal = replace(accounting, attention="causal")
    whole = count(model, prefill(sum(chunks), cached, batch), causal)
    parts = [count(model, chunk, causal) for chunk in in_chunks(chunks, cached, batch)]
    further_heads = 0
    if causal.output_head == "last position":
        further_heads = (len(chunks) - 1) * batch * 2 * model.parameters_by_part["output_head"]
    assert sum(part.flops for part in parts) == whole.flops + further_heads


@given(models(), accountings, CHUNKS, st.integers(0, 400), sizes(5))
def test_a_prompt_in_chunks_is_never_fewer_bytes_nor_more_of_the_square(model, accounting, chunks, cached, batch):
    square = replace(accounting, attention="full square")
    whole = count(model, prefill(sum(chunks), cached, batch), square)
    parts = [count(model, chunk, square) for chunk in in_chunks(chunks, cached, batch)]
    assert sum(part.bytes for part in parts) >= whole.bytes
    assert sum(part.flops_by_part["attention"] for part in parts) <= whole.flops_by_part["attention"]


@given(models(), accountings, sizes(300), st.integers(0, 400), sizes(5))
def test_decoding_one_by_one_costs_the_layers_flops_of_prefilling(model, accounting, tokens, cached, batch):
    causal = replace(accounting, attention="causal")
    at_once = count(model, prefill(tokens, cached, batch), causal).flops_by_part
    one_by_one = count(model, decode(cached + np.arange(tokens), batch), causal).flops_by_part
    for part in ("projections", "mlp", "attention"):
        assert one_by_one[part].sum() == at_once[part]


@given(models(), accelerators(), assumptions, passes)
@example(LLAMA_3_8B, H100, replace(PLATE, compute_efficiency=1.0, overhead_seconds=0.0), prefill(1024))
@example(LLAMA_3_8B, H100, replace(PLATE, bandwidth_efficiency=1.0, overhead_seconds=0.0), decode(1000))
def test_utilisation_never_exceeds_what_is_assumed_to_be_reached(model, accelerator, assumed, forward_pass):
    result = estimate(forward_pass, model, accelerator, assumed)
    assert 0 <= result.compute_utilisation <= assumed.compute_efficiency <= 1
    assert 0 <= result.bandwidth_utilisation <= assumed.bandwidth_efficiency <= 1


@given(models(), accelerators(), assumptions, passes, passes)
def test_a_mixed_pass_costs_its_dearer_half_to_both(model, accelerator, assumed, one, other):
    mixed, first, second = (estimate(each, model, accelerator, assumed).seconds for each in (one + other, one, other))
    assert max(first, second) * (1 - ROUNDING) <= mixed <= (first + second) * (1 + ROUNDING)


def everything(result):
    """All numbers that an estimate holds, by name."""
    fields = ["seconds", "seconds_per_token", "tokens_per_second", "compute_seconds", "memory_seconds"]
    fields += ["intensity", "bound", "compute_utilisation", "bandwidth_utilisation", "flops", "bytes", "tokens"]
    numbers = {field: getattr(result, field) for field in fields}
    numbers |= {"kv_bytes": result.work.kv_bytes, "weight_bytes": result.work.weight_bytes}
    return (
        numbers
        | {f"{part} flops": n for part, n in result.work.flops_by_part.items()}
        | {f"{part} bytes": n for part, n in result.work.bytes_by_part.items()}
    )


LARGE = st.integers(1, 400) | st.integers(1, 2**53)  # products go far beyond 2**53, where float64 rounds
ROWS = st.lists(st.tuples(LARGE, LARGE | st.just(0), LARGE), min_size=1, max_size=20)


@given(models(), accelerators(), assumptions, ROWS)
@example(LLAMA_3_8B, H100, replace(PLATE, knee=2), [(tokens, 1000, 8) for tokens in range(1, 300)])
@example(LLAMA_3_8B, H100, replace(PLATE, knee=2.5), [(tokens, 1000, 8) for tokens in range(1, 300)])
@example(LLAMA_3_8B, H100, replace(PLATE, knee=1), [(2**53, 2**53 - i, 3**33) for i in range(40)])
def test_a_sweep_gives_the_same_bits_as_single_passes(model, accelerator, assumed, rows):
    columns = map(np.array, zip(*rows, strict=True))
    sweep = everything(estimate(prefill(*columns) + decode(7), model, accelerator, assumed))
    for index, row in enumerate(rows):
        single = everything(estimate(prefill(*row) + decode(7), model, accelerator, assumed))
        assert {name: values[index] for name, values in sweep.items()} == single


@given(models(), accelerators(), assumptions, passes)
def test_time_is_not_below_either_limit(model, accelerator, assumed, forward_pass):
    result = estimate(forward_pass, model, accelerator, assumed)
    longer = max(result.compute_seconds, result.memory_seconds)
    assert longer <= result.seconds
    assert result.seconds <= (result.compute_seconds + result.memory_seconds + assumed.overhead_seconds) * (
        1 + ROUNDING
    )

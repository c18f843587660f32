"""The closed forms of batching against brute force: scan the batch, scan the context."""

import math
from dataclasses import replace

import numpy as np
import pytest
from drawn import accelerators, accountings, assumptions, models
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from costmodel import (
    DATASHEET,
    EXACT,
    H100,
    LLAMA_3_8B,
    MODELS,
    PLATE,
    Accelerator,
    Accounting,
    Model,
    compute_bound_batch,
    count,
    critical_context,
    decode,
    decode_ceiling,
    estimate,
    kv_parity_batch,
    max_batch,
)

contexts = st.integers(0, 5000)
BATCHES = np.array([1, 2, 3, 5, 10, 30, 100, 1000, 10_000, 10**6, 10**9])
LONG = 10**12  # a batch or a context that stands for "without end"


@given(models(), contexts, accountings)
def test_kv_parity_is_where_the_traffic_changes_sides(model, cached, accounting):
    batch = kv_parity_batch(model, cached, accounting)
    below, above = max(1, int(batch) - 1), int(batch) + 2
    work = count(model, decode(cached, np.array([below, above])), accounting)
    kv_is_more = work.kv_bytes > work.weight_bytes
    assert kv_is_more[1] and (not kv_is_more[0] or batch < 1)


@given(models(), accelerators(), contexts, assumptions)
def test_throughput_tends_to_the_ceiling_from_below(model, accelerator, cached, assumed):
    ceiling = decode_ceiling(model, accelerator, cached, assumed)
    reached = estimate(decode(cached, BATCHES), model, accelerator, assumed).tokens_per_second
    assert (reached <= ceiling.tokens_per_second * (1 + 1e-12)).all()
    assert (np.diff(reached) >= -1e-12 * reached[1:]).all()
    endless = estimate(decode(cached, LONG), model, accelerator, assumed)
    assert endless.tokens_per_second == pytest.approx(ceiling.tokens_per_second, rel=1e-3)
    assume(abs(endless.compute_seconds / endless.memory_seconds - 1) > 1e-3)
    assert ceiling.bound == endless.bound


@given(models(), accelerators(), assumptions)
def test_no_batch_is_compute_bound_above_the_critical_context(model, accelerator, assumed):
    critical = critical_context(model, accelerator, assumed)
    lengths = np.unique(np.geomspace(1, LONG, 400).astype(np.int64))
    # if any batch is compute-bound, the largest is: the weights weigh least in it
    endless = estimate(decode(lengths - 1, LONG), model, accelerator, assumed)
    compute_over_memory = endless.compute_seconds / endless.memory_seconds
    assume(abs(compute_over_memory[-1] - 1) > 1e-2)  # no tie, which rounding would decide
    compute_bound = compute_over_memory > 1 + 1e-5
    if critical is None:
        assert compute_bound[-1]
    else:
        assert not compute_bound[lengths > critical].any()
        assert compute_bound[lengths < critical * 0.98].all()


def test_a_critical_context_is_no_whole_number_and_marks_the_change():
    critical = critical_context(LLAMA_3_8B, H100)
    below, above = (decode(cached, 10**9) for cached in (int(critical) - 1, int(critical)))  # attended: one more
    assert estimate(below, LLAMA_3_8B, H100).bound == "compute"
    assert estimate(above, LLAMA_3_8B, H100).bound == "memory"


def test_no_context_is_critical_where_attention_alone_is_compute_bound():
    """Multi-query attention on little arithmetic: 64 query heads for one key/value head, 64 FLOPs per byte."""
    shared = replace(LLAMA_3_8B, heads=64, kv_heads=1, head_dim=64)
    assert critical_context(shared, replace(H100, peak_flops=63 * H100.bandwidth), EXACT) is None
    assert critical_context(shared, replace(H100, peak_flops=1000 * H100.bandwidth), EXACT) > 0


def test_no_context_is_critical_where_attention_and_kv_tie():
    """64 FLOPs for each byte of KV, and a ridge of exactly 64: more context changes nothing."""
    shared = replace(LLAMA_3_8B, heads=64, kv_heads=1, head_dim=64)
    tie = replace(H100, peak_flops=2.0**46, bandwidth=2.0**40)
    work = count(shared, decode(0), DATASHEET.accounting)
    assert work.flops_by_part["attention"] == work.kv_bytes * tie.ridge
    assert critical_context(shared, tie, DATASHEET) is None


def test_a_window_as_long_as_the_critical_context_ends_first():
    """There the KV traffic stops growing just as it would be enough, and a tie is compute-bound."""
    small = Model("small", 1, d_model=64, heads=2, kv_heads=2, head_dim=16, d_ff=64, vocab=64, gated_mlp=False)
    work = count(small, decode(0), DATASHEET.accounting)
    attention = work.flops_by_part["attention"]
    ridge = ((work.flops - attention) / 32 + attention) / work.kv_bytes  # for a critical context of 32
    exact = Accelerator("exact", peak_flops=ridge * 2.0**40, bandwidth=2.0**40, memory=80e9)
    assert critical_context(small, exact, DATASHEET) == 32
    assert critical_context(replace(small, window=32), exact, DATASHEET) is None
    assert critical_context(replace(small, window=33), exact, DATASHEET) == 32


def test_no_context_is_critical_where_the_window_ends_first():
    critical = critical_context(LLAMA_3_8B, H100)
    assert critical_context(replace(LLAMA_3_8B, window=563), H100) is None
    assert critical_context(replace(LLAMA_3_8B, window=564), H100) == critical
    square = replace(PLATE, accounting=replace(PLATE.accounting, attention="full square"))
    assert critical_context(replace(LLAMA_3_8B, window=4096), H100, square) is None


def test_every_decode_is_memory_bound_where_the_critical_context_is_below_one():
    slow = replace(H100, bandwidth=2e6)
    assert critical_context(LLAMA_3_8B, slow) < 1
    assert set(estimate(decode(np.arange(5), LONG), LLAMA_3_8B, slow).bound) == {"memory"}


@given(models(), accelerators(), contexts, st.floats(0, 1))
def test_max_batch_fits_and_one_more_does_not(model, accelerator, cached, reserve):
    batch = max_batch(model, accelerator, cached, reserve)
    free = accelerator.memory * (1 - reserve) - model.weight_bytes
    one = model.kv_bytes_per_token * min(cached + 1, model.window or cached + 1)
    assert batch == 0 or batch * one <= free
    assert (batch + 1) * one > free


def test_max_batch_where_nothing_fits_and_where_all_fits_exactly():
    assert max_batch(MODELS["Llama 3 70B"], H100, 1000) == 0  # the weights alone do not
    assert max_batch(LLAMA_3_8B, H100, 10**9) == 0  # the weights do, one request beside them does not
    assert max_batch(LLAMA_3_8B, H100, 1000, reserve=1) == 0
    full = replace(H100, memory=LLAMA_3_8B.weight_bytes + 7 * 1001 * LLAMA_3_8B.kv_bytes_per_token)
    assert max_batch(LLAMA_3_8B, full, 1000, reserve=0) == 7
    assert max_batch(LLAMA_3_8B, replace(full, memory=full.memory - 1), 1000, reserve=0) == 6


def test_max_batch_is_no_larger_than_the_largest_batch_of_a_pass():
    endless = replace(H100, memory=1e30)
    assert max_batch(LLAMA_3_8B, endless, 1000) == 2**53
    assert max_batch(LLAMA_3_8B, endless, np.array([0, 1000])).tolist() == [2**53, 2**53]
    assert decode(1000, max_batch(LLAMA_3_8B, endless, 1000)).requests == 2**53


@given(models(), accelerators(), contexts, assumptions)
def test_decode_is_compute_bound_from_the_batch_that_is_told(model, accelerator, cached, assumed):
    batch = compute_bound_batch(model, accelerator, cached, assumed)
    if batch is None:
        endless = estimate(decode(cached, LONG), model, accelerator, assumed)
        assert endless.compute_seconds / endless.memory_seconds < 1 + 1e-9
    else:
        assume(batch < 2**50)
        below, above = math.floor(batch * (1 - 1e-6)), math.ceil(batch * (1 + 1e-6))
        assert estimate(decode(cached, above), model, accelerator, assumed).bound == "compute"
        assert below < 1 or estimate(decode(cached, below), model, accelerator, assumed).bound == "memory"


@pytest.mark.parametrize("cached", [0, 10, 300, 500, 550])
def test_the_compute_bound_batch_against_a_scan(cached):
    batches = np.arange(1, 200_000)
    bound = estimate(decode(cached, batches), LLAMA_3_8B, H100).bound
    batch = compute_bound_batch(LLAMA_3_8B, H100, cached)
    assert type(batch) is float
    assert math.ceil(batch) == batches[bound == "compute"][0]


def test_no_batch_is_compute_bound_from_the_critical_context_on():
    cached = int(critical_context(LLAMA_3_8B, H100)) + np.arange(-2, 2)  # attended: one more
    sweep = compute_bound_batch(LLAMA_3_8B, H100, cached)
    assert np.isfinite(sweep).tolist() == [True, True, False, False]
    singles = [compute_bound_batch(LLAMA_3_8B, H100, int(each)) for each in cached]
    assert singles == [*sweep[:2], None, None]


def test_a_window_bounds_what_a_request_reads_and_holds():
    windowed = replace(LLAMA_3_8B, window=1001)
    long = np.array([1000, 1001, 100_000])
    assert set(kv_parity_batch(windowed, long)) == {kv_parity_batch(LLAMA_3_8B, 1000)}
    assert set(max_batch(windowed, H100, long)) == {426}


def test_kv_per_query_head_is_that_many_times_the_traffic():
    repeated = Accounting("all", "every position", kv_heads="heads")
    assert kv_parity_batch(LLAMA_3_8B, 1000, repeated) == kv_parity_batch(LLAMA_3_8B, 1000) / 4


@settings(max_examples=30)
@given(models(), accelerators(), st.lists(contexts, min_size=1, max_size=9), assumptions)
def test_a_sweep_gives_the_same_bits_as_single_contexts(model, accelerator, cached, assumed):
    sweep = np.array(cached)
    assert kv_parity_batch(model, sweep, assumed.accounting).tolist() == [
        kv_parity_batch(model, each, assumed.accounting) for each in cached
    ]
    assert max_batch(model, accelerator, sweep).tolist() == [max_batch(model, accelerator, each) for each in cached]
    ceiling = decode_ceiling(model, accelerator, sweep, assumed)
    singles = [decode_ceiling(model, accelerator, each, assumed) for each in cached]
    assert ceiling.tokens_per_second.tolist() == [single.tokens_per_second for single in singles]
    assert ceiling.bound.tolist() == [single.bound for single in singles]


def test_plain_numbers_for_a_single_context():
    ceiling = decode_ceiling(LLAMA_3_8B, H100, 1000)
    assert type(kv_parity_batch(LLAMA_3_8B, 1000)) is float
    assert type(ceiling.tokens_per_second) is float and type(ceiling.bound) is str
    assert type(critical_context(LLAMA_3_8B, H100)) is float
    assert type(max_batch(LLAMA_3_8B, H100, 1000)) is int


def test_a_batch_that_fits_can_be_decoded():
    batch = max_batch(LLAMA_3_8B, H100, np.array([100, 1000]))
    assert decode(np.array([100, 1000]), batch).requests.tolist() == batch.tolist()

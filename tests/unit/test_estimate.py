"""Timing: what assumptions do to counts, the roofline, and how estimates print."""

import math
from dataclasses import replace

import numpy as np
import pytest

from costmodel import (
    ACCELERATORS,
    DATASHEET,
    EXACT,
    H100,
    LLAMA_3_8B,
    PLATE,
    Accelerator,
    Assumptions,
    attainable,
    count,
    decode,
    estimate,
    prefill,
)

PASS = decode(1000, batch=300)
WORK = count(LLAMA_3_8B, PASS)
COMPUTE = WORK.flops / (989e12 * 0.6)
MEMORY = WORK.bytes / (3.35e12 * 0.8)


def timed(**changes):
    return estimate(PASS, LLAMA_3_8B, H100, replace(PLATE, **changes))


def test_each_limit_takes_its_share_of_its_peak():
    result = timed()
    assert result.compute_seconds == pytest.approx(COMPUTE, rel=1e-15)
    assert result.memory_seconds == pytest.approx(MEMORY, rel=1e-15)
    assert (result.flops, result.bytes, result.intensity) == (WORK.flops, WORK.bytes, WORK.intensity)
    assert timed(compute_efficiency=0.3).compute_seconds == pytest.approx(2 * COMPUTE)
    assert timed(bandwidth_efficiency=0.4).memory_seconds == pytest.approx(2 * MEMORY)


def test_the_overhead_is_added_once_a_pass():
    assert timed(overhead_seconds=0.5).seconds == timed(overhead_seconds=0.0).seconds + 0.5


def test_a_hard_knee_is_the_longer_and_a_knee_of_one_the_sum():
    assert timed(overhead_seconds=0.0).seconds == max(COMPUTE, MEMORY)
    assert timed(overhead_seconds=0.0, knee=1).seconds == pytest.approx(COMPUTE + MEMORY, rel=1e-15)
    assert timed(overhead_seconds=0.0, knee=2).seconds == pytest.approx(math.hypot(COMPUTE, MEMORY), rel=1e-14)
    assert timed(overhead_seconds=0.0, knee=1e6).seconds == pytest.approx(max(COMPUTE, MEMORY), rel=1e-6)


def test_a_soft_knee_neither_overflows_nor_vanishes():
    """Times of 1e-12 s to the power of 50 are no float; their ratio is."""
    fast = Accelerator("fast", peak_flops=1e24, bandwidth=1e24, memory=80e9)
    soft = estimate(PASS, LLAMA_3_8B, fast, Assumptions(knee=50))
    assert soft.seconds == pytest.approx(max(soft.compute_seconds, soft.memory_seconds), rel=0.02)


def test_seconds_per_token_and_tokens_per_second():
    result = timed()
    assert result.tokens == 300
    assert result.seconds_per_token == result.seconds / 300
    assert result.tokens_per_second == 300 / result.seconds
    prompts = estimate(prefill(1024, batch=2), LLAMA_3_8B, H100)  # tokens, not requests
    assert prompts.tokens_per_second == 2048 / prompts.seconds
    assert prompts.seconds_per_token == prompts.seconds / 2048


def test_bound_is_the_longer_limit():
    assert estimate(prefill(1024), LLAMA_3_8B, H100).bound == "compute"
    assert estimate(decode(1000), LLAMA_3_8B, H100).bound == "memory"
    assert estimate(prefill(np.array([1, 1024])), LLAMA_3_8B, H100).bound.tolist() == ["memory", "compute"]


def test_a_tie_is_compute_bound():
    work = count(LLAMA_3_8B, decode(1000), DATASHEET.accounting)
    even = Accelerator("even", peak_flops=work.flops, bandwidth=work.bytes, memory=80e9)
    result = estimate(decode(1000), LLAMA_3_8B, even, DATASHEET)
    assert (result.compute_seconds, result.memory_seconds, result.bound) == (1, 1, "compute")
    assert estimate(decode([1000]), LLAMA_3_8B, even, DATASHEET).bound.tolist() == ["compute"]


def test_the_default_assumptions_are_the_plates():
    assert estimate(PASS, LLAMA_3_8B, H100) == estimate(PASS, LLAMA_3_8B, H100, PLATE)
    assert estimate(PASS, LLAMA_3_8B, H100) != estimate(PASS, LLAMA_3_8B, H100, EXACT)


def test_names_of_phases_do_not_fix_the_bottleneck():
    assert estimate(prefill(16), LLAMA_3_8B, H100).bound == "memory"
    assert estimate(decode(100, batch=1024), LLAMA_3_8B, H100).bound == "compute"


def test_utilisation_is_the_share_of_the_datasheets_peaks():
    result = estimate(prefill(1024), LLAMA_3_8B, H100)
    assert result.compute_utilisation == pytest.approx(result.flops / (989e12 * result.seconds), rel=1e-14)
    assert result.bandwidth_utilisation == pytest.approx(result.bytes / (3.35e12 * result.seconds), rel=1e-14)


def test_the_named_assumptions():
    assert PLATE == Assumptions(0.6, 0.8, 0.2e-3, PLATE.accounting, math.inf)
    assert replace(EXACT, accounting=PLATE.accounting) == PLATE
    assert DATASHEET == Assumptions() == Assumptions(1.0, 1.0, 0.0, EXACT.accounting, math.inf)


def test_assumptions_print_as_one_line():
    assert str(PLATE) == (
        "60% of peak compute, 80% of peak bandwidth, 0.2 ms per pass, hard knee; every parameter multiplied and "
        "read, output head at every position, causal attention, KV per key/value head"
    )
    assert str(DATASHEET) == (
        "100% of peak compute, 100% of peak bandwidth, 0 ms per pass, hard knee; linear layers multiplied, output "
        "head at the last position, causal attention, KV per key/value head"
    )
    assert "knee 2.5;" in str(replace(PLATE, knee=2.5))


def test_an_estimate_cannot_contradict_itself():
    changed = replace(estimate(PASS, LLAMA_3_8B, H100), assumptions=DATASHEET, forward_pass=decode(1000))
    assert changed == estimate(decode(1000), LLAMA_3_8B, H100, DATASHEET)
    assert changed.seconds == estimate(decode(1000), LLAMA_3_8B, H100, DATASHEET).seconds
    with pytest.raises(ValueError):
        replace(changed, seconds=1.0)


def test_an_estimate_prints_as_one_line():
    assert str(estimate(decode(1000), LLAMA_3_8B, H100)) == (
        f"6.24 ms for 1 token, memory-bound: compute 0.0279 ms, memory 6.04 ms, overhead 0.2 ms; {PLATE}"
    )
    assert str(estimate(prefill(100_000), LLAMA_3_8B, H100)).startswith(
        "7,120 ms for 100,000 tokens, compute-bound: compute 7,120 ms, memory 10.9 ms, "
    )
    assert str(estimate(decode([1, 2]), LLAMA_3_8B, H100)) == f"2 passes; {PLATE}"


def test_the_peaks_that_are_reached():
    reached = PLATE.reached(H100)
    assert (reached.peak_flops, reached.bandwidth) == pytest.approx((0.6 * 989e12, 0.8 * 3.35e12))
    assert reached == replace(H100, peak_flops=reached.peak_flops, bandwidth=reached.bandwidth)
    assert DATASHEET.reached(H100) == H100


def test_the_roofline():
    ridge = H100.ridge
    assert attainable(ridge / 2, H100) == pytest.approx(989e12 / 2)
    assert attainable(10 * ridge, H100) == 989e12
    assert attainable([0, 1, ridge * 2], H100).tolist() == [0, 3.35e12, 989e12]
    assert type(attainable(1, H100)) is type(attainable(np.array(5.0), H100)) is float


def test_the_accelerators_of_the_catalogue():
    assert (H100.peak_flops, H100.bandwidth, H100.memory) == (989e12, 3.35e12, 80e9)
    assert ACCELERATORS["H100 SXM"] is H100
    for name, accelerator in ACCELERATORS.items():
        assert accelerator.name == name
        assert "not given" not in (accelerator.source, accelerator.date)


def test_plain_numbers_for_a_single_pass():
    single = timed(knee=3)
    fields = ["seconds", "seconds_per_token", "tokens_per_second", "compute_seconds", "memory_seconds", "intensity"]
    for field in [*fields, "compute_utilisation", "bandwidth_utilisation"]:
        assert type(getattr(single, field)) is float
        assert getattr(estimate(decode([1, 2]), LLAMA_3_8B, H100), field).shape == (2,)
    assert type(single.bound) is str

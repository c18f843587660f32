"""Every number that the two source documents and the book's design print, to its last printed digit."""

from dataclasses import replace

import numpy as np
import pytest

from costmodel import (
    ACCELERATORS,
    DATASHEET,
    EXACT,
    H100,
    LLAMA_3_8B,
    MODELS,
    PLATE,
    critical_context,
    decode,
    decode_ceiling,
    estimate,
    kv_parity_batch,
    max_batch,
    prefill,
)


def on_h100(forward_pass, assumptions=PLATE):
    return estimate(forward_pass, LLAMA_3_8B, H100, assumptions)


def milliseconds(forward_pass, assumptions=PLATE):
    return on_h100(forward_pass, assumptions).seconds * 1e3


PROMPT = prefill(1024)
TOKEN = decode(1000)
RATIO = on_h100(TOKEN).seconds_per_token / on_h100(PROMPT).seconds_per_token


def prints(printed, value, what):
    """`value` must print as `printed`, to as many decimals as that has."""
    return pytest.param(printed, value, id=what)


@pytest.mark.parametrize(
    "printed, value",
    [
        prints("8030261248", LLAMA_3_8B.parameters, "parameters"),
        prints("8.03", LLAMA_3_8B.parameters / 1e9, "billions of parameters"),
        prints("16.06", LLAMA_3_8B.weight_bytes / 1e9, "weights in GB"),
        prints("16.1", LLAMA_3_8B.weight_bytes / 1e9, "the plate's weights in GB"),
        prints("14.96", LLAMA_3_8B.weight_bytes / 2**30, "weights in GiB"),
        prints("131072", LLAMA_3_8B.kv_bytes_per_token, "KV bytes per token"),
        prints("295.2", H100.ridge, "ridge of the datasheet"),
        prints("221.4", PLATE.reached(H100).ridge, "ridge at 60 % and 80 %"),
    ],
)
def test_model_and_accelerator(printed, value):
    assert print_like(printed, value) == printed


@pytest.mark.parametrize(
    "printed, value",
    [
        prints("28.38", milliseconds(PROMPT), "prefill in ms"),
        prints("0.02771", milliseconds(PROMPT) / 1024, "prefill in ms per token"),
        prints("6.2417", milliseconds(TOKEN), "decode in ms"),
        prints("160.2", on_h100(TOKEN).tokens_per_second, "decode in tokens per second"),
        prints("225.2", RATIO, "decode over prefill, per token"),
        prints("6.584", milliseconds(decode(1000, 8)), "decode, batch 8"),
        prints("9.326", milliseconds(decode(1000, 64)), "decode, batch 64"),
        prints("18.726", milliseconds(decode(1000, 256)), "decode, batch 256"),
        prints("122.4", kv_parity_batch(LLAMA_3_8B, 1000), "KV parity"),
        prints("20426", decode_ceiling(LLAMA_3_8B, H100, 1000).tokens_per_second, "decode ceiling"),
        prints("563.6", critical_context(LLAMA_3_8B, H100), "critical context"),
        prints("426", max_batch(LLAMA_3_8B, H100, 1000), "batch that memory holds"),
        prints("487", max_batch(LLAMA_3_8B, H100, 1000, reserve=0), "batch that memory holds without reserve"),
        # the same as the plate prints them
        prints("28.4", milliseconds(PROMPT), "the plate's prefill in ms"),
        prints("0.0277", milliseconds(PROMPT) / 1024, "the plate's prefill in ms per token"),
        prints("6.24", milliseconds(TOKEN), "the plate's decode in ms"),
        prints("225", RATIO, "the plate's ratio"),
        prints("160", on_h100(TOKEN).tokens_per_second, "the plate's tokens per second"),
        prints("295", H100.ridge, "the plate's ridge"),
        # its creep of long prompts
        prints("0.0343", milliseconds(prefill(16_384)) / 16_384, "16 384 tokens in ms per token"),
        prints("0.0850", milliseconds(prefill(131_072)) / 131_072, "131 072 tokens in ms per token"),
    ],
)
def test_plate(printed, value):
    assert print_like(printed, value) == printed


@pytest.mark.parametrize(
    "printed, value",
    [
        prints("24.75", milliseconds(PROMPT, EXACT), "prefill in ms"),
        prints("5.8496", milliseconds(TOKEN, EXACT), "decode in ms"),
        prints("6.192", milliseconds(decode(1000, 8), EXACT), "decode, batch 8"),
        prints("8.934", milliseconds(decode(1000, 64), EXACT), "decode, batch 64"),
        prints("18.334", milliseconds(decode(1000, 256), EXACT), "decode, batch 256"),
        prints("114.4", kv_parity_batch(LLAMA_3_8B, 1000, EXACT.accounting), "KV parity"),
        prints("20426", decode_ceiling(LLAMA_3_8B, H100, 1000, EXACT).tokens_per_second, "decode ceiling"),
        prints("526.7", critical_context(LLAMA_3_8B, H100, EXACT), "critical context"),
    ],
)
def test_exact(printed, value):
    assert print_like(printed, value) == printed


@pytest.mark.parametrize(
    "printed, value",
    [
        prints("14.73", milliseconds(PROMPT, DATASHEET), "prefill in ms"),
        prints("4.520", milliseconds(TOKEN, DATASHEET), "decode in ms"),
        prints("4.794", milliseconds(decode(1000, 8), DATASHEET), "decode, batch 8"),
        prints("6.987", milliseconds(decode(1000, 64), DATASHEET), "decode, batch 64"),
        prints("14.507", milliseconds(decode(1000, 256), DATASHEET), "decode, batch 256"),
    ],
)
def test_datasheet(printed, value):
    assert print_like(printed, value) == printed


def print_like(printed, value):
    return f"{value:.{len(printed.partition('.')[2])}f}"


def test_bounds_of_the_example():
    assert on_h100(PROMPT).bound == "compute"
    assert on_h100(TOKEN).bound == "memory"
    assert decode_ceiling(LLAMA_3_8B, H100, 1000).bound == "memory"
    assert decode_ceiling(LLAMA_3_8B, H100, 1000, EXACT).bound == "memory"


def test_intensity_of_a_pass_is_roughly_its_tokens():
    """The plate's rule, for the linear layers: 2 FLOPs per parameter and token over 2 bytes per parameter."""
    tokens = np.array([1, 8, 64, 512])
    work = on_h100(prefill(tokens)).work
    assert (work.flops - work.flops_by_part["attention"]) / work.weight_bytes == pytest.approx(tokens, rel=1e-12)


@pytest.mark.parametrize("batch", [1, 16, 100])
def test_scaling_book(batch):
    """Llama 2 13B with 8 192 positions on eight TPU v5e: (batch · 6.7e9 + 26e9) / (8 · 8.2e11) seconds.

    Source: "How to Scale Your Model", the chapter on inference, whose bandwidth is rounded up from Google's 819 GB/s.
    6.7e9 and 26e9 are bytes at two an element.
    """
    chip = ACCELERATORS["TPU v5e"]
    eight = replace(chip, name="8 TPU v5e", peak_flops=8 * chip.peak_flops, bandwidth=8 * 8.2e11)
    step = estimate(decode(8191, batch), MODELS["Llama 2 13B"], eight, replace(PLATE, bandwidth_efficiency=1.0))
    assert print_like("6.7", step.work.kv_bytes / batch / 1e9) == "6.7"
    assert print_like("26", step.work.weight_bytes / 1e9) == "26"
    assert step.memory_seconds == pytest.approx((batch * 6.7e9 + 26e9) / (8 * 8.2e11), rel=2e-3)

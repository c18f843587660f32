"""Counting: parts that sum, and each accounting choice by itself."""

from dataclasses import replace

import numpy as np
import pytest
from drawn import accountings, models, passes
from hypothesis import given

from costmodel import DATASHEET, EXACT, LLAMA_3_8B, PLATE, Accounting, count, decode, prefill

MIXED = prefill(100, cached=20, batch=2) + decode(50, batch=3)  # 203 tokens of 5 requests
PARAMETERS = LLAMA_3_8B.parameters_by_part
TABLE = 128_256 * 4096


@given(models(), passes, accountings)
def test_parts_sum_to_the_total(model, forward_pass, accounting):
    work = count(model, forward_pass, accounting)
    assert sum(work.flops_by_part.values()) == work.flops
    assert sum(work.bytes_by_part.values()) == work.bytes == work.weight_bytes + work.kv_bytes
    assert work.intensity == work.flops / work.bytes


def test_the_default_accounting_is_the_plates():
    assert count(LLAMA_3_8B, MIXED) == count(LLAMA_3_8B, MIXED, PLATE.accounting)
    assert PLATE.accounting == Accounting("all", "every position", "causal", "kv_heads")
    assert EXACT.accounting == DATASHEET.accounting == Accounting() == Accounting("linear", "last position")


def test_the_plate_counts_two_flops_and_one_read_for_every_parameter():
    work = count(LLAMA_3_8B, MIXED, PLATE.accounting)
    assert work.flops - work.flops_by_part["attention"] == 2 * 203 * LLAMA_3_8B.parameters
    assert work.weight_bytes == LLAMA_3_8B.weight_bytes


def test_parameters_linear_takes_out_the_embedding_and_the_norms_flops():
    all_of_them = count(LLAMA_3_8B, MIXED, Accounting("all"))
    linear = count(LLAMA_3_8B, MIXED, Accounting("linear"))
    assert all_of_them.flops - linear.flops == 2 * 203 * (TABLE + PARAMETERS["norms"])
    assert all_of_them.bytes - linear.bytes == 2 * TABLE
    assert linear.bytes_by_part["norms"] == 2 * PARAMETERS["norms"]


def test_a_tied_table_is_read_as_the_head():
    tied = count(replace(LLAMA_3_8B, tied_embeddings=True), MIXED, EXACT.accounting)
    untied = count(LLAMA_3_8B, MIXED, EXACT.accounting)
    assert tied.flops_by_part == untied.flops_by_part
    assert tied.bytes_by_part == untied.bytes_by_part
    tied_plate = count(replace(LLAMA_3_8B, tied_embeddings=True), MIXED, PLATE.accounting)
    untied_plate = count(LLAMA_3_8B, MIXED, PLATE.accounting)
    assert untied_plate.flops - tied_plate.flops == 2 * 203 * TABLE
    assert untied_plate.bytes - tied_plate.bytes == 2 * TABLE


def test_the_output_head_at_every_position_or_the_last_of_each_request():
    every = count(LLAMA_3_8B, MIXED, Accounting(output_head="every position"))
    last = count(LLAMA_3_8B, MIXED, Accounting(output_head="last position"))
    assert every.flops_by_part["output_head"] == 2 * TABLE * 203
    assert last.flops_by_part["output_head"] == 2 * TABLE * 5
    assert every.bytes == last.bytes


def test_attention_causal_or_full_square():
    per_pair = 4 * 32 * 32 * 128
    causal = count(LLAMA_3_8B, prefill(100, cached=20), Accounting(attention="causal"))
    square = count(LLAMA_3_8B, prefill(100, cached=20), Accounting(attention="full square"))
    assert causal.flops_by_part["attention"] == per_pair * (100 * 20 + 100 * 101 // 2)
    assert square.flops_by_part["attention"] == per_pair * 100 * 120
    assert causal.bytes == square.bytes


def test_kv_per_key_value_head_or_per_query_head():
    shared = count(LLAMA_3_8B, MIXED, Accounting(kv_heads="kv_heads"))
    repeated = count(LLAMA_3_8B, MIXED, Accounting(kv_heads="heads"))
    assert shared.bytes_by_part["kv_read"] == 131_072 * (2 * 20 + 3 * 50)
    assert shared.bytes_by_part["kv_written"] == 131_072 * 203
    assert repeated.kv_bytes == 4 * shared.kv_bytes
    assert repeated.flops == shared.flops


def test_projections_and_mlp_multiply_every_token():
    work = count(LLAMA_3_8B, MIXED, EXACT.accounting)
    assert work.flops_by_part["projections"] == 2 * 203 * PARAMETERS["projections"]
    assert work.flops_by_part["mlp"] == 2 * 203 * PARAMETERS["mlp"]


def test_a_window_bounds_attention_and_the_kv_that_is_read():
    windowed = replace(LLAMA_3_8B, window=11)
    work = count(windowed, decode(1000, batch=2))
    assert work.flops_by_part["attention"] == 2 * 4 * 32 * 32 * 128 * 11
    assert work.kv_bytes == 2 * 131_072 * 11
    wide = count(replace(LLAMA_3_8B, window=2000), decode(1000))
    assert wide.flops_by_part == count(LLAMA_3_8B, decode(1000)).flops_by_part


def test_dtypes_change_bytes_and_not_flops():
    small = count(replace(LLAMA_3_8B, weight_dtype="int8", kv_dtype="fp8"), MIXED)
    plain = count(LLAMA_3_8B, MIXED)
    assert (2 * small.weight_bytes, 2 * small.kv_bytes) == (plain.weight_bytes, plain.kv_bytes)
    assert small.flops == plain.flops
    wide = count(replace(LLAMA_3_8B, weight_dtype="fp32", kv_dtype="int8"), MIXED)  # each follows its own
    assert (wide.weight_bytes, 2 * wide.kv_bytes) == (2 * plain.weight_bytes, plain.kv_bytes)


@given(models(), passes, passes, accountings)
def test_a_mixed_pass_shares_the_weights_and_nothing_else(model, one, other, accounting):
    mixed, first, second = (count(model, each, accounting) for each in (one + other, one, other))
    assert mixed.flops == first.flops + second.flops
    assert mixed.kv_bytes == first.kv_bytes + second.kv_bytes
    assert mixed.weight_bytes == first.weight_bytes == second.weight_bytes


def test_ints_for_a_single_pass_and_arrays_over_a_sweep():
    single, sweep = (count(LLAMA_3_8B, decode(cached)) for cached in (7, np.array([[7, 8]])))
    for quantity in ("flops", "bytes", "kv_bytes", "weight_bytes"):
        assert type(getattr(single, quantity)) is int
        assert getattr(sweep, quantity).shape == (1, 2)
        assert getattr(sweep, quantity).dtype == np.float64
    for parts in (sweep.flops_by_part, sweep.bytes_by_part):
        assert {part.shape for part in parts.values()} == {(1, 2)}


def test_weights_are_not_lost_beside_a_kv_cache_beyond_2_to_the_53():
    work = count(LLAMA_3_8B, decode(2**53, batch=2**53))
    assert work.weight_bytes == LLAMA_3_8B.weight_bytes


@pytest.mark.parametrize(
    "accounting, printed",
    [
        (
            PLATE.accounting,
            "every parameter multiplied and read, output head at every position, causal attention, "
            "KV per key/value head",
        ),
        (
            Accounting("linear", "last position", "full square", "heads"),
            "linear layers multiplied, output head at the last position, attention over the full square, "
            "KV per query head",
        ),
    ],
)
def test_an_accounting_prints_as_what_it_counts(accounting, printed):
    assert str(accounting) == printed

"""The proof of the cost model: what a running decoder was seen to do equals what `count` says, exactly.

Both sides are held to each other over drawn configurations, and `EXACT` is held to counts made by others.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import decoder.decoder as running
from costmodel import EXACT, LLAMA_3_8B, MODELS, Group, Model, count, decode, prefill
from decoder import Cache, Config, Counter, Decoder

DIMENSIONS = ("layers", "d_model", "heads", "kv_heads", "head_dim", "d_ff", "vocab", "tied_embeddings")
FIXED = Config(layers=2, d_model=9, heads=6, kv_heads=2, head_dim=4, d_ff=7, vocab=11)
GROUPS = [(1, 5, 2), (3, 2, 1)]  # (new, cached, batch): two decodes and a chunk of three tokens in one pass


def model_of(config):
    """The cost model's description of `config`, at one byte an element, so that its bytes are elements."""
    dimensions = {name: getattr(config, name) for name in DIMENSIONS}
    return Model(name="drawn", **dimensions, weight_dtype="int8", kv_dtype="int8")


def pass_of(groups):
    """The cost model's description of one pass over `groups` of (new, cached, batch)."""
    return sum((prefill(new, cached, batch) for new, cached, batch in groups[1:]), start=prefill(*groups[0]))


def predicted(model, forward_pass):
    """What `count` says: {(quantity, part): number}, parts without work left out."""
    work = count(model, forward_pass, EXACT.accounting)
    amounts = {("flops", part): amount for part, amount in work.flops_by_part.items()}
    amounts |= {("elements", part): amount for part, amount in work.bytes_by_part.items()}
    return {key: amount for key, amount in amounts.items() if amount}


def witnessed(config, groups):
    """What the decoder is seen to do in one pass over `groups`, in the same form."""
    decoder, counter = Decoder(config), Counter()
    requests = [(new, cached, decoder.new_cache()) for new, cached, batch in groups for _ in range(batch)]
    for _, cached, cache in requests:
        if cached:
            decoder.forward([tokens(cached, config)], [cache])
    decoder.forward([tokens(new, config) for new, *_ in requests], [cache for *_, cache in requests], counter)
    amounts = {("flops", part): amount for part, amount in counter.flops.items()}
    amounts |= {("elements", part): amount for part, amount in counter.weight_elements.items()}
    amounts[("elements", "kv_read")] = counter.kv_elements_read
    amounts[("elements", "kv_written")] = counter.kv_elements_written
    return {key: amount for key, amount in amounts.items() if amount}


def tokens(length, config):
    return np.arange(length) % config.vocab


@st.composite
def configs(draw):
    size = st.integers(1, 12)
    kv_heads = draw(st.integers(1, 3))
    return Config(
        layers=draw(st.integers(1, 3)),
        d_model=draw(size),
        heads=kv_heads * draw(st.integers(1, 4)),
        kv_heads=kv_heads,
        head_dim=2 * draw(st.integers(1, 5)),
        d_ff=draw(size),
        vocab=draw(size),
        tied_embeddings=draw(st.booleans()),
    )


groups_of_requests = st.lists(
    st.tuples(st.integers(1, 6), st.integers(0, 7), st.integers(1, 3)), min_size=1, max_size=3
)


@given(configs(), groups_of_requests)
@settings(max_examples=200, deadline=None)
def test_what_was_done_is_what_was_predicted(config, groups):
    seen, said = witnessed(config, groups), predicted(model_of(config), pass_of(groups))
    assert seen == said
    assert {type(amount) for amount in [*seen.values(), *said.values()]} == {int}


@given(configs(), st.lists(st.integers(1, 5), min_size=1, max_size=4))
@settings(max_examples=50, deadline=None)
def test_a_prompt_in_chunks_and_the_decodes_after_it(config, chunks):
    """One request through all its passes, so that each pass finds what the passes before it have stored."""
    decoder, model = Decoder(config), model_of(config)
    cache, total = decoder.new_cache(), 0
    for new in [*chunks, 1, 1]:
        counter, work = Counter(), count(model, prefill(new, cached=len(cache)), EXACT.accounting)
        decoder.forward([tokens(new, config)], [cache], counter)
        assert sum(counter.flops.values()) == work.flops
        assert sum(counter.weight_elements.values()) == work.weight_bytes
        assert counter.kv_elements_read + counter.kv_elements_written == work.kv_bytes
        total += new
    assert len(cache) == total


@given(configs())
@settings(max_examples=50, deadline=None)
def test_the_parameters_that_exist_are_those_counted(config):
    assert Decoder(config).parameters == model_of(config).parameters


# One term wrong on either side, and the two no longer agree


def disagreements():
    """The quantities and parts on which the two sides differ, for one configuration and one mixed pass."""
    seen, said = witnessed(FIXED, GROUPS), predicted(model_of(FIXED), pass_of(GROUPS))
    return {key for key in seen | said if seen.get(key) != said.get(key)}


def decoder_without_head(patch):
    linear = running.linear

    def all_but_the_head(x, weight, record, part, name):
        return x if part == "output_head" else linear(x, weight, record, part, name)

    patch.setattr(running, "linear", all_but_the_head)


def decoder_with_full_square(patch):
    """Every query meets every key, as in attention with a mask."""

    def attend(queries, keys, values, record):
        rows = [running.attend_row(query, keys, values, record) for query in queries]
        return np.stack(rows).reshape(len(queries), -1)

    patch.setattr(running, "attend", attend)


def decoder_with_ungrouped_heads(patch):
    """A copy of the new keys and values for every query head goes through the cache's door."""
    door, group = Cache.write, FIXED.heads // FIXED.kv_heads

    def write(cache, layer, keys, values, record):
        door(cache, layer, keys, values, lambda *_, **__: None)
        copies = Cache(replace(FIXED, kv_heads=FIXED.heads))
        door(copies, layer, np.repeat(keys, group, axis=1), np.repeat(values, group, axis=1), record)

    patch.setattr(Cache, "write", write)


def model_without_head(patch):
    parts = Model.parameters_by_part.fget
    broken = property(lambda model: parts(model) | {"output_head": 0})
    patch.setattr(Model, "parameters_by_part", broken)


def model_with_full_square(patch):
    patch.setattr(Group, "attended_pairs", lambda group, window: group.square_pairs())


def model_with_ungrouped_heads(patch):
    bytes_per_token = Model.kv_bytes_per_token.fget
    broken = property(lambda model: bytes_per_token(replace(model, kv_heads=model.heads)))
    patch.setattr(Model, "kv_bytes_per_token", broken)


HEAD = {("flops", "output_head"), ("elements", "output_head")}
ATTENTION = {("flops", "attention")}


@pytest.mark.parametrize(
    "broken, parts",
    [
        (lambda patch: None, set()),
        (decoder_without_head, HEAD),
        (decoder_with_full_square, ATTENTION),
        (decoder_with_ungrouped_heads, {("elements", "kv_written")}),
        (model_without_head, HEAD),
        (model_with_full_square, ATTENTION),
        (model_with_ungrouped_heads, {("elements", "kv_read"), ("elements", "kv_written")}),
    ],
)
def test_one_wrong_term_is_seen_where_it_is(broken, parts, monkeypatch):
    broken(monkeypatch)
    assert disagreements() == parts


# Counts made by others: PyTorch 2.13's FlopCounterMode over Transformers 5.24's LlamaForCausalLM, logits of
# the last position only, eager attention. That attention computes the full square, so it does more than
# `EXACT` asks for by the masked cells: new * (new - 1) / 2 for each request.


@pytest.mark.parametrize(
    "forward_pass, flops, masked_cells",
    [
        (prefill(1024), 14_844_457_648_128, 1024 * 1023 // 2),
        (decode(1000), 15_534_129_152, 0),
        (decode(1000, batch=8), 124_273_033_216, 0),
        (prefill(256, cached=768, batch=2), 7_423_804_833_792, 2 * 256 * 255 // 2),
    ],
)
def test_exact_equals_an_outside_count_to_the_last_flop(forward_pass, flops, masked_cells):
    # Scores and weighted values: two products of head_dim multiply-adds for each cell, head and layer.
    flops_per_cell = 2 * 2 * LLAMA_3_8B.layers * LLAMA_3_8B.heads * LLAMA_3_8B.head_dim
    assert count(LLAMA_3_8B, forward_pass, EXACT.accounting).flops == flops - masked_cells * flops_per_cell


@pytest.mark.parametrize(
    "model, parameters",
    [
        (LLAMA_3_8B, 8_030_261_248),
        (MODELS["Llama 3.2 1B"], 1_235_814_400),
    ],
)
def test_parameters_equal_those_of_the_published_models(model, parameters):
    assert model.parameters == parameters

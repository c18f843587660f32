"""The decoder computes what a Llama-style decoder does, however tokens are split over passes and batches."""

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoder import Cache, Config, Counter, Decoder
from decoder.decoder import attend, rotate, silu, softmax

SMALL = Config(layers=2, d_model=7, heads=4, kv_heads=2, head_dim=6, d_ff=11, vocab=13)
MODEL = Decoder(SMALL)


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=2e-4, atol=2e-4)


@st.composite
def configs(draw):
    size = st.integers(1, 9)
    kv_heads = draw(st.integers(1, 3))
    return Config(
        layers=draw(st.integers(1, 3)),
        d_model=draw(size),
        heads=kv_heads * draw(st.integers(1, 3)),
        kv_heads=kv_heads,
        head_dim=2 * draw(st.integers(1, 4)),
        d_ff=draw(size),
        vocab=draw(st.integers(2, 9)),
        tied_embeddings=draw(st.booleans()),
    )


def prompt(length, vocab=SMALL.vocab, seed=0):
    return np.random.default_rng(seed).integers(vocab, size=length)


def whole(decoder, tokens):
    """Logits at the last of `tokens`, recomputed without a cache."""
    return decoder.forward([tokens], [decoder.new_cache()])[0]


def reference(decoder, tokens):
    """Logits at every position, the textbook way: float64, all heads in full, one masked square, no cache."""
    config = decoder.config
    group, length = config.heads // config.kv_heads, len(tokens)
    mask = np.where(np.tri(length, dtype=bool), 0.0, -np.inf)

    def wide(weight):
        return np.asarray(weight, dtype=np.float64)

    def norm(x, gain):
        return x / np.sqrt((x**2).mean(axis=1, keepdims=True) + config.norm_eps) * wide(gain)

    def turn(x):
        """Rotary positions as complex numbers turned by a phase."""
        half = config.head_dim // 2
        speeds = [config.rope_theta ** (-2 * i / config.head_dim) for i in range(half)]
        phase = np.outer(np.arange(length), speeds)
        turned = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * phase)[:, None]
        return np.concatenate([turned.real, turned.imag], axis=-1)

    def heads(x, weight):
        return (x @ wide(weight)).reshape(length, -1, config.head_dim)

    x = wide(decoder.embedding)[tokens]
    for w in decoder.layers:
        h = norm(x, w.attention_norm)
        q, k, v = turn(heads(h, w.q)), turn(heads(h, w.k)), heads(h, w.v)
        k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
        scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(config.head_dim) + mask
        shares = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
        x = x + np.einsum("hqk,khd->qhd", shares, v).reshape(length, -1) @ wide(w.o)
        h = norm(x, w.mlp_norm)
        gate = h @ wide(w.gate)
        x = x + (gate / (1 + np.exp(-gate)) * (h @ wide(w.up))) @ wide(w.down)
    return norm(x, decoder.final_norm) @ wide(decoder.head)


# What the decoder computes


@given(configs(), st.integers(1, 8), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_logits_equal_an_independent_reference(config, length, seed):
    decoder, tokens = Decoder(config, seed), prompt(length, config.vocab, seed)
    close(whole(decoder, tokens), reference(decoder, tokens)[-1])


def test_a_prefill_then_decodes_equal_the_reference_at_every_position():
    tokens, cache = prompt(9), MODEL.new_cache()
    logits = [MODEL.forward([tokens[:4]], [cache])[0]]
    logits += [MODEL.forward([[token]], [cache])[0] for token in tokens[4:]]
    close(logits, reference(MODEL, tokens)[3:])


@given(configs(), st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_any_split_into_passes_gives_the_logits_of_the_whole(config, chunks, seed):
    decoder, tokens = Decoder(config, seed), prompt(sum(chunks), config.vocab, seed)
    cache = decoder.new_cache()
    for start, end in pairwise([0, *np.cumsum(chunks)]):
        logits = decoder.forward([tokens[start:end]], [cache])[0]
        assert len(cache) == end
        close(logits, whole(decoder, tokens[:end]))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 5)), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_a_request_in_a_batch_gets_the_logits_that_it_gets_alone(lengths):
    sequences = [prompt(cached + new, seed=place) for place, (cached, new) in enumerate(lengths)]
    caches = [MODEL.new_cache() for _ in lengths]
    for (cached, _), tokens, cache in zip(lengths, sequences, caches, strict=True):
        if cached:
            MODEL.forward([tokens[:cached]], [cache])
    new = [tokens[len(cache) :] for tokens, cache in zip(sequences, caches, strict=True)]
    logits = MODEL.forward(new, caches)
    close(logits, [whole(MODEL, tokens) for tokens in sequences])


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_grouped_heads_equal_full_heads_with_repeated_keys_and_values(kv_heads):
    grouped = Decoder(replace(SMALL, kv_heads=kv_heads))
    full = Decoder(replace(SMALL, kv_heads=SMALL.heads))

    def repeated(weight):
        by_head = weight.reshape(SMALL.d_model, kv_heads, SMALL.head_dim)
        return np.repeat(by_head, SMALL.heads // kv_heads, axis=1).reshape(SMALL.d_model, -1)

    full.embedding, full.head, full.final_norm = grouped.embedding, grouped.head, grouped.final_norm
    full.layers = [w._replace(k=repeated(w.k), v=repeated(w.v)) for w in grouped.layers]
    close(whole(grouped, prompt(6)), whole(full, prompt(6)))


def test_a_later_token_changes_nothing_before_it():
    caches = [MODEL.new_cache(), MODEL.new_cache()]
    first, second = MODEL.forward([[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 7]], caches)
    assert not np.allclose(first, second)
    for layer in range(SMALL.layers):  # the last layer's keys carry all that earlier layers let through
        close(caches[0].keys[layer][:5], caches[1].keys[layer][:5])
        close(caches[0].values[layer][:5], caches[1].values[layer][:5])
        assert not np.allclose(caches[0].keys[layer][5], caches[1].keys[layer][5])


def test_an_earlier_token_changes_what_follows():
    assert not np.allclose(whole(MODEL, [1, 2, 3]), whole(MODEL, [4, 2, 3]))


def test_order_matters():
    assert not np.allclose(whole(MODEL, [1, 2, 3]), whole(MODEL, [2, 1, 3]))


@given(st.integers(0, 2000), st.integers(0, 2000), st.integers(0, 2000))
@settings(max_examples=30, deadline=None)
def test_rotated_products_depend_on_the_distance_alone(query_at, key_at, shift):
    query, key = np.random.default_rng(1).standard_normal((2, 1, 3, 8))

    def score(m, n):
        return (rotate(query, np.array([m]), 1e4) * rotate(key, np.array([n]), 1e4)).sum(axis=-1)

    np.testing.assert_allclose(score(query_at, key_at), score(query_at + shift, key_at + shift), atol=1e-5)


def test_steps_neither_overflow_nor_vanish():
    """In float32 exp ends at 88. Shares and gates are those of float64."""
    scores = np.array([[0, 100, 101], [-1000, -1001, -1002]], dtype=np.float32)
    with np.errstate(all="raise", under="ignore"):
        shares, gates = softmax(scores), silu(np.array([-1000, -100, -5, 0, 5, 100, 1000], dtype=np.float32))
    assert shares.dtype == gates.dtype == np.float32
    wide = np.exp(scores.astype(np.float64) + [[-100], [1000]])
    np.testing.assert_allclose(shares, wide / wide.sum(axis=-1, keepdims=True), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(
        gates, [0, -100 / np.exp(100), -5 / (1 + np.exp(5)), 0, 5 / (1 + np.exp(-5)), 100, 1000], rtol=1e-5, atol=1e-40
    )


def test_every_norm_has_gains_of_its_own():
    gains = [gain for layer in MODEL.layers for gain in (layer.attention_norm, layer.mlp_norm)] + [MODEL.final_norm]
    for number, gain in enumerate(gains):
        assert np.ptp(gain) > 0
        assert not any(np.array_equal(gain, other) for other in gains[:number])


def test_rotation_keeps_lengths_and_turns_by_the_position():
    x = np.random.default_rng(2).standard_normal((5, 3, 4))
    turned = rotate(x, np.arange(5), 100.0)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-6)
    np.testing.assert_array_equal(turned[0], x[0])
    # Pairs are (0, 2) and (1, 3); position 3 turns the first by 3 radians, the second by 3 / sqrt(100).
    ones = rotate(np.array([[[1.0, 1.0, 0.0, 0.0]]]), np.array([3]), 100.0)[0, 0]
    np.testing.assert_allclose(ones, [np.cos(3), np.cos(0.3), np.sin(3), np.sin(0.3)], rtol=1e-6)


def test_attention_makes_the_attended_cells_alone():
    counter = Counter()
    new, cached, kv_heads = np.ones((3, 4, 6)), 2, 2
    attend(new, np.ones((cached + 3, kv_heads, 6)), np.ones((cached + 3, kv_heads, 6)), counter.record)
    scores = [operation for operation in counter.operations if operation.name == "scores"]
    assert [operation.shapes[1][-1] for operation in scores] == [3, 4, 5]


def test_tied_embeddings_are_one_table():
    tied = Decoder(replace(SMALL, tied_embeddings=True))
    assert np.shares_memory(tied.head, tied.embedding)
    assert MODEL.parameters - tied.parameters == SMALL.d_model * SMALL.vocab
    assert not np.shares_memory(MODEL.head, MODEL.embedding)


def test_the_seed_decides_the_weights():
    tokens = prompt(5)
    np.testing.assert_array_equal(whole(Decoder(SMALL), tokens), whole(Decoder(SMALL, seed=0), tokens))
    assert not np.allclose(whole(Decoder(SMALL, seed=0), tokens), whole(Decoder(SMALL, seed=1), tokens))


def test_tokens_may_come_as_any_kind_of_integers():
    requests = [np.array([1, 2], dtype=np.uint64), np.array([3], dtype=np.int8), [4]]
    logits = MODEL.forward(requests, [MODEL.new_cache() for _ in requests])
    close(logits, [whole(MODEL, [1, 2]), whole(MODEL, [3]), whole(MODEL, [4])])


def test_all_is_float32():
    cache = MODEL.new_cache()
    assert MODEL.forward([[1, 2]], [cache]).dtype == np.float32
    assert {array.dtype for array in [*cache.keys, *cache.values, MODEL.embedding, *MODEL.layers[0]]} == {
        np.dtype(np.float32)
    }


# The cache


def test_a_cache_is_as_long_as_its_shortest_layer():
    cache = MODEL.new_cache()
    row = np.zeros((3, SMALL.kv_heads, SMALL.head_dim), dtype=np.float32)
    cache.write(0, row, row, lambda *_, **__: None)
    assert cache.lengths == (3, 0) and len(cache) == 0


def test_only_tokens_that_have_been_input_have_keys_and_values():
    cache = MODEL.new_cache()
    assert len(cache) == 0
    chosen = MODEL.forward([[1, 2, 3, 4]], [cache])[0].argmax()
    assert len(cache) == 4 and cache.lengths == (4, 4)  # the chosen token is known, but has no K/V yet
    before = cache.keys[1].copy()
    MODEL.forward([[chosen]], [cache])
    assert len(cache) == 5 and repr(cache) == "Cache(positions=5, layers=2)"
    assert cache.keys[1].shape == cache.values[1].shape == (5, SMALL.kv_heads, SMALL.head_dim)
    np.testing.assert_array_equal(cache.keys[1][:4], before)


# The counter


def test_counts_of_a_small_pass_worked_by_hand():
    config = Config(layers=1, d_model=3, heads=2, kv_heads=1, head_dim=2, d_ff=5, vocab=7)
    decoder, caches, counter = Decoder(config), [Cache(config), Cache(config)], Counter()
    decoder.forward([[1, 2, 3]], caches[:1])
    decoder.forward([[4], [5, 6]], caches, counter)  # A: 1 new on 3 cached; B: 2 new on none. T = 3 rows
    assert counter.weight_elements == {
        "projections": 36,  # q 3 x 4, k 3 x 2, v 3 x 2, o 4 x 3: 12 + 6 + 6 + 12
        "mlp": 45,  # gate 3 x 5, up 3 x 5, down 5 x 3
        "output_head": 21,  # 3 x 7
        "norms": 9,  # three gains of 3
    }
    assert counter.flops == {
        "projections": 216,  # 2 x 3 rows x 36
        "attention": 112,  # A attends 4 cells, B 1 + 2: 7 cells x 2 heads x 2 products x 2 wide x 2 FLOPs
        "mlp": 270,  # 2 x 3 rows x 45
        "output_head": 84,  # 2 x 2 requests x 21
    }
    assert counter.kv_elements_read == 12  # A's 3 positions x 1 head x 2 wide x (K and V); B has none
    assert counter.kv_elements_written == 12  # 3 new positions, the same way
    assert decoder.parameters == 132  # 36 + 45 + 21 + 9, and an embedding table of 21


def test_the_log_names_each_operation_with_its_layer_request_and_shapes():
    counter = Counter()
    MODEL.forward([[1, 2], [3]], [MODEL.new_cache(), MODEL.new_cache()], counter)
    layer = [(operation.name, operation.request) for operation in counter.operations if operation.layer == 1]
    assert layer == [
        ("attention_norm", None),
        ("q", None),
        ("k", None),
        ("v", None),
        ("read", 0),
        ("write", 0),
        *[("scores", 0), ("weighted_values", 0)] * 2,
        ("read", 1),
        ("write", 1),
        ("scores", 1),
        ("weighted_values", 1),
        ("o", None),
        ("mlp_norm", None),
        ("gate", None),
        ("up", None),
        ("down", None),
    ]
    assert [(operation.name, operation.layer) for operation in counter.operations[-2:]] == [
        ("final_norm", None),
        ("output_head", None),
    ]
    assert counter.operations[1].shapes == ((3, 7), (7, 24))


def test_a_counter_adds_passes_up_and_changes_no_logits():
    one, two, tokens = Counter(), Counter(), prompt(4)
    logits = MODEL.forward([tokens], [MODEL.new_cache()], one)
    for _ in range(2):
        np.testing.assert_array_equal(MODEL.forward([tokens], [MODEL.new_cache()], two), logits)
    assert two.flops == {part: 2 * flops for part, flops in one.flops.items()}
    assert two.weight_elements == {part: 2 * elements for part, elements in one.weight_elements.items()}
    assert Counter().flops == {"projections": 0, "attention": 0, "mlp": 0, "output_head": 0}


# Bad input


@pytest.mark.parametrize(
    "change, error, words",
    [
        ({"layers": 0}, ValueError, "layers must be a whole number of at least 1, not 0"),
        ({"d_model": 2.0}, TypeError, "d_model must be a whole number of at least 1, not 2.0"),
        ({"vocab": True}, TypeError, "vocab must be a whole number of at least 1, not True"),
        ({"heads": 5}, ValueError, "heads must be a multiple of kv_heads, not 5 heads for 2 kv_heads"),
        ({"head_dim": 5}, ValueError, "head_dim must be an even number, not 5"),
        ({"tied_embeddings": 1}, TypeError, "tied_embeddings must be True or False, not 1"),
        ({"rope_theta": 0.0}, ValueError, "rope_theta must be a finite number above 0, not 0.0"),
        ({"rope_theta": "1e4"}, TypeError, "rope_theta must be a finite number above 0, not '1e4'"),
        ({"rope_theta": 10**400}, ValueError, "rope_theta must be a finite number above 0, not 1000"),
        ({"norm_eps": float("inf")}, ValueError, "norm_eps must be a finite number above 0, not inf"),
        ({"norm_eps": float("nan")}, ValueError, "norm_eps must be a finite number above 0, not nan"),
    ],
)
def test_a_bad_dimension_is_named(change, error, words):
    with pytest.raises(error, match=words):
        replace(SMALL, **change)


def test_numpy_integers_are_dimensions_too():
    assert type(replace(SMALL, layers=np.int64(2)).layers) is int


@pytest.mark.parametrize(
    "requests, error, words",
    [
        ([], ValueError, "requests must hold at least one request, not none"),
        ([[1]], ValueError, "caches must hold one for each of 1 requests, not 2"),
        ([[1], []], ValueError, r"requests\[1\] must be a row of at least one token, not of shape \(0,\)"),
        ([[1], 2], ValueError, r"requests\[1\] must be a row of at least one token, not of shape \(\)"),
        ([[1], [1.0]], TypeError, r"requests\[1\] must hold integers, not float64"),
        ([[1], [2, 13]], ValueError, r"requests\[1\] must hold tokens from 0 to 12, not 13"),
        ([[-1], [2]], ValueError, r"requests\[0\] must hold tokens from 0 to 12, not -1"),
    ],
)
def test_bad_requests_are_named_and_leave_the_caches_alone(requests, error, words):
    caches = [MODEL.new_cache(), MODEL.new_cache()]
    with pytest.raises(error, match=words):
        MODEL.forward(requests, caches)
    assert [len(cache) for cache in caches] == [0, 0]


def test_bad_caches_are_named():
    cache, other = MODEL.new_cache(), Cache(replace(SMALL, head_dim=8))
    with pytest.raises(ValueError, match=r"caches\[1\] must be a cache of its own request, not Cache\(.*\) a second"):
        MODEL.forward([[1], [2]], [cache, cache])
    with pytest.raises(ValueError, match=r"caches\[0\] must be a cache for Config.*, not Cache.* of other dimensions"):
        MODEL.forward([[1]], [other])
    with pytest.raises(TypeError, match=r"caches\[0\] must be a Cache, not None"):
        MODEL.forward([[1]], [None])


def test_a_cache_of_an_interrupted_pass_is_refused(monkeypatch):
    """The keys and values of its first layer are there, those of the second are not."""
    cache = MODEL.new_cache()
    MODEL.forward([[1, 2]], [cache])
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(MODEL, "_mlp", interrupt)
        MODEL.forward([[3]], [cache])
    assert cache.lengths == (3, 2) and len(cache) == 2
    with pytest.raises(ValueError, match=r"caches\[0\] must hold as many .* not \(3, 2\): .*; start with a new cache"):
        MODEL.forward([[3]], [cache])


def interrupt(*_):
    raise KeyboardInterrupt


def test_the_decoder_knows_nothing_of_the_cost_model():
    code = "import sys, decoder; sys.exit('costmodel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0

"""A Llama-style decoder in NumPy that really runs prefill and decode with a KV cache.

Read `Decoder.forward` first: a forward pass from tokens to logits. Prefill and decode are the same pass; they
differ in how many tokens a request brings and how many of its positions are already cached. The functions
before the class are the steps of a pass.

Letters in the shapes: T is the number of tokens in the pass, over all requests; L is the attended length of
one query, its own position included; `group` is the number of query heads that share one K/V head.
"""

from dataclasses import dataclass, fields
from functools import partial
from itertools import pairwise
from math import inf, sqrt
from operator import index
from sys import float_info
from typing import NamedTuple

import numpy as np

from .cache import Cache
from .counter import Counter


@dataclass(frozen=True)
class Config:
    """The dimensions of a decoder.

    `head_dim` need not be `d_model / heads`. It is even, because rotary positions turn pairs of elements, and
    `heads` is a multiple of `kv_heads`; all else may be any size. Raises TypeError or ValueError otherwise.
    """

    layers: int
    d_model: int
    heads: int
    kv_heads: int
    head_dim: int
    d_ff: int
    vocab: int
    tied_embeddings: bool = False
    rope_theta: float = 10_000.0
    norm_eps: float = 1e-5

    def __post_init__(self):
        for name in (entry.name for entry in fields(self) if entry.type is int):
            value = getattr(self, name)
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise TypeError(f"{name} must be a whole number of at least 1, not {value!r}")
            if index(value) < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
            object.__setattr__(self, name, index(value))
        if not isinstance(self.tied_embeddings, bool):
            raise TypeError(f"tied_embeddings must be True or False, not {self.tied_embeddings!r}")
        for name in ("rope_theta", "norm_eps"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(f"{name} must be a finite number above 0, not {value!r}")
            if not 0 < value < inf or value > float_info.max:  # an int may be larger than any float
                raise ValueError(f"{name} must be a finite number above 0, not {value!r}")
        if self.heads % self.kv_heads:
            raise ValueError(
                f"heads must be a multiple of kv_heads, not {self.heads} heads for {self.kv_heads} kv_heads"
            )
        if self.head_dim % 2:
            raise ValueError(f"head_dim must be an even number, not {self.head_dim}")


class Layer(NamedTuple):
    """The weights of one layer. A matrix is [d_in, d_out]: rows of tokens multiply it from the left."""

    attention_norm: np.ndarray  # [d_model]
    q: np.ndarray  # [d_model, heads * head_dim]
    k: np.ndarray  # [d_model, kv_heads * head_dim]
    v: np.ndarray  # [d_model, kv_heads * head_dim]
    o: np.ndarray  # [heads * head_dim, d_model]
    mlp_norm: np.ndarray  # [d_model]
    gate: np.ndarray  # [d_model, d_ff]
    up: np.ndarray  # [d_model, d_ff]
    down: np.ndarray  # [d_ff, d_model]


def rms_norm(x, gain, eps, record, name):
    """Scale each row of `x` [rows, d_model] to a root mean square of 1, then each column by its `gain`."""
    record("norms", name, (x.shape, gain.shape), weight_elements=gain.size)
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + np.float32(eps)) * gain


def product(left, right, record, part, name, weight_elements=0):
    """The matrix product `left` @ `right`, and the only place where matrices are multiplied.

    Each element of the result is a sum over the inner dimension, one multiply-add for each of its terms.
    """
    result = left @ right
    amounts = {"multiply_adds": result.size * left.shape[-1], "weight_elements": weight_elements}
    record(part, name, (left.shape, right.shape), **amounts)
    return result


def linear(x, weight, record, part, name):
    """A linear layer: x [rows, d_in] @ weight [d_in, d_out]. The weight is read once, whatever the rows."""
    return product(x, weight, record, part, name, weight_elements=weight.size)


def rotate(x, positions, theta):
    """Rotary positions: turn pairs of elements in each head of `x` [T, heads, head_dim] by its position.

    Element i of a head's first half and element i of its second half are a point in the plane, turned by
    position * theta ** (-2 * i / head_dim) radians. The product of a rotated query and a rotated key then
    depends on the distance between them alone.
    """
    half = x.shape[-1] // 2
    angles = positions[:, None, None] * theta ** (-np.arange(half) / half)  # [T, 1, half], in float64
    cos, sin = np.float32(np.cos(angles)), np.float32(np.sin(angles))
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


def softmax(x):
    """Turn the last axis of `x` into shares that sum to 1."""
    shifted = np.exp(x - x.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def silu(x):
    """x / (1 + exp(-x)), in a form that does not overflow."""
    return x * np.exp(-np.logaddexp(0, -x))


def attend_row(query, keys, values, record):
    """One query [heads, head_dim] over its L keys and values, each [L, kv_heads, head_dim].

    Neighbouring query heads form a group, and each group uses one K/V head. Returns [heads, head_dim].
    """
    kv_heads, head_dim = keys.shape[1:]
    query = query.reshape(kv_heads, -1, head_dim)  # [kv_heads, group, head_dim]
    scores = product(query, keys.transpose(1, 2, 0), record, "attention", "scores")  # [kv_heads, group, L]
    shares = softmax(scores / np.float32(sqrt(head_dim)))
    mixed = product(shares, values.transpose(1, 0, 2), record, "attention", "weighted_values")
    return mixed.reshape(-1, head_dim)


def attend(queries, keys, values, record):
    """One request's attention, row by row; returns [new, heads * head_dim].

    `queries` [new, heads, head_dim] belong to the last positions of `keys` and `values`, which are [cached +
    new, kv_heads, head_dim]. Each sees its own position and those before it, and nothing else is computed:
    there is no mask, because no cell beyond the diagonal is ever made.
    """
    cached = len(keys) - len(queries)
    rows = [
        attend_row(query, keys[:length], values[:length], record)
        for length, query in enumerate(queries, start=cached + 1)
    ]
    return np.stack(rows).reshape(len(queries), -1)


class Decoder:
    """A decoder with random weights, the same for the same `config` and `seed`.

    Weights are float32: `embedding` [vocab, d_model], `layers` (a list of `Layer`), `final_norm` [d_model],
    `head` [d_model, vocab]. With tied embeddings the head is the embedding table itself, transposed.

    >>> decoder = Decoder(Config(layers=2, d_model=16, heads=4, kv_heads=2, head_dim=4, d_ff=32, vocab=50))
    >>> cache = decoder.new_cache()
    >>> logits = decoder.forward([[7, 1, 30, 4]], [cache])      # prefill: four tokens, nothing cached
    >>> chosen = int(logits[0].argmax())
    >>> logits = decoder.forward([[chosen]], [cache])           # decode: one token, four positions cached
    >>> len(cache)
    5
    """

    def __init__(self, config, seed=0):
        self.config = config
        random = np.random.default_rng(seed)

        def matrix(d_in, d_out):
            return random.standard_normal((d_in, d_out), dtype=np.float32) / np.float32(sqrt(d_in))

        def gain():
            return 1 + random.standard_normal(config.d_model, dtype=np.float32) / 10

        q_width, kv_width = config.heads * config.head_dim, config.kv_heads * config.head_dim
        self.embedding = matrix(config.d_model, config.vocab).T  # scaled as a head, which it is when tied
        self.layers = [
            Layer(
                attention_norm=gain(),
                q=matrix(config.d_model, q_width),
                k=matrix(config.d_model, kv_width),
                v=matrix(config.d_model, kv_width),
                o=matrix(q_width, config.d_model),
                mlp_norm=gain(),
                gate=matrix(config.d_model, config.d_ff),
                up=matrix(config.d_model, config.d_ff),
                down=matrix(config.d_ff, config.d_model),
            )
            for _ in range(config.layers)
        ]
        self.final_norm = gain()
        self.head = self.embedding.T if config.tied_embeddings else matrix(config.d_model, config.vocab)

    @property
    def parameters(self):
        """The number of weight elements, a tied table counted once."""
        head = 0 if self.config.tied_embeddings else self.head.size
        in_layers = sum(weight.size for layer in self.layers for weight in layer)
        return self.embedding.size + in_layers + self.final_norm.size + head

    def new_cache(self):
        """An empty `Cache` for one request."""
        return Cache(self.config)

    def forward(self, requests, caches, counter=None):
        """One forward pass over a batch: logits [requests, vocab] at each request's last position.

        `requests` is a sequence of token sequences, integers from 0 to vocab - 1, of any lengths: a prompt, a
        chunk of one, a single token. `caches` holds one `Cache` for each request: what it has stored is that
        request's past, and the pass adds the new positions. `counter`, a `Counter`, notes what is done.

        Raises TypeError or ValueError for a bad argument, before any cache is changed.
        """
        requests, caches = self._checked(requests, caches)
        counter = Counter() if counter is None else counter
        # The rows of all requests lie in one array, so that every weight is read once for all of them.
        ends = np.cumsum([len(tokens) for tokens in requests])
        rows = [slice(start, end) for start, end in pairwise([0, *ends])]
        batch = zip(requests, caches, strict=True)
        positions = np.concatenate([len(cache) + np.arange(len(tokens)) for tokens, cache in batch])

        x = self.embedding[np.concatenate(requests)]  # [T, d_model]
        for layer, w in enumerate(self.layers):
            record = partial(counter.record, layer=layer)
            normed = rms_norm(x, w.attention_norm, self.config.norm_eps, record, "attention_norm")
            x = x + self._attention(normed, layer, w, positions, rows, caches, record)
            normed = rms_norm(x, w.mlp_norm, self.config.norm_eps, record, "mlp_norm")
            x = x + self._mlp(normed, w, record)
        # Only the last position of a request predicts a token that is not known yet.
        last = rms_norm(x[ends - 1], self.final_norm, self.config.norm_eps, counter.record, "final_norm")
        return linear(last, self.head, counter.record, "output_head", "output_head")

    def _attention(self, x, layer, w, positions, rows, caches, record):
        """x [T, d_model] to [T, d_model]: projections for all rows together, attention request by request."""
        head_dim, theta = self.config.head_dim, self.config.rope_theta
        q = linear(x, w.q, record, "projections", "q").reshape(len(x), -1, head_dim)
        k = linear(x, w.k, record, "projections", "k").reshape(len(x), -1, head_dim)
        v = linear(x, w.v, record, "projections", "v").reshape(len(x), -1, head_dim)
        q, k = rotate(q, positions, theta), rotate(k, positions, theta)  # [T, heads or kv_heads, head_dim]

        attended = []
        for request, (own, cache) in enumerate(zip(rows, caches, strict=True)):
            note = partial(record, request=request)
            past_keys, past_values = cache.read(layer, note)
            cache.write(layer, k[own], v[own], note)
            keys, values = np.concatenate([past_keys, k[own]]), np.concatenate([past_values, v[own]])
            attended.append(attend(q[own], keys, values, note))
        return linear(np.concatenate(attended), w.o, record, "projections", "o")

    def _mlp(self, x, w, record):
        """SwiGLU: x [T, d_model] to [T, d_model] through two arrays [T, d_ff], one gating the other."""
        gate = linear(x, w.gate, record, "mlp", "gate")
        up = linear(x, w.up, record, "mlp", "up")
        return linear(silu(gate) * up, w.down, record, "mlp", "down")

    def _checked(self, requests, caches):
        """The requests as integer arrays and the caches as a list, once both are known to be good."""
        requests, caches = [np.asarray(tokens) for tokens in requests], list(caches)
        if not requests:
            raise ValueError("requests must hold at least one request, not none")
        if len(caches) != len(requests):
            raise ValueError(f"caches must hold one for each of {len(requests)} requests, not {len(caches)}")
        for number, tokens in enumerate(requests):
            name, vocab = f"requests[{number}]", self.config.vocab
            if tokens.ndim != 1 or not tokens.size:
                raise ValueError(f"{name} must be a row of at least one token, not of shape {tokens.shape}")
            if not np.issubdtype(tokens.dtype, np.integer):
                raise TypeError(f"{name} must hold integers, not {tokens.dtype}")
            if not 0 <= tokens.min() <= tokens.max() < vocab:
                wrong = tokens[(tokens < 0) | (tokens >= vocab)][0]
                raise ValueError(f"{name} must hold tokens from 0 to {vocab - 1}, not {wrong}")
        expected = [keys.shape[1:] for keys in self.new_cache().keys]
        for number, cache in enumerate(caches):
            name = f"caches[{number}]"
            if not isinstance(cache, Cache):
                raise TypeError(f"{name} must be a Cache, not {cache!r}")
            if [keys.shape[1:] for keys in cache.keys] != expected:
                raise ValueError(f"{name} must be a cache for {self.config}, not {cache!r} of other dimensions")
            if len(set(cache.lengths)) > 1:
                raise ValueError(
                    f"{name} must hold as many positions in every layer, not {cache.lengths}: a pass was interrupted; "
                    "start with a new cache"
                )
            if any(cache is other for other in caches[:number]):
                raise ValueError(f"{name} must be a cache of its own request, not {cache!r} a second time")
        return [tokens.astype(np.intp) for tokens in requests], caches

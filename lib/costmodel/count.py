"""Counting: model × forward pass → FLOPs and bytes, part by part. Knows no hardware."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from . import _check
from ._number import as_count, as_float, total
from .forward_pass import ForwardPass
from .model import DTYPE_BYTES, Model

Parameters = Literal["all", "linear"]
OutputHead = Literal["every position", "last position"]
Attention = Literal["causal", "full square"]
KvHeads = Literal["kv_heads", "heads"]


@dataclass(frozen=True)
class Accounting:
    """The conventions on which careful people differ when they count a forward pass.

    parameters: "all" multiplies every parameter once per token and reads every parameter, embedding table and
        norms included, so that a pass costs 2 FLOPs per parameter and token. "linear" multiplies the linear
        layers alone; the embedding is a lookup, and its table is read only where it is tied to the output head.
    output_head: computed at "every position", or only at the "last position" of each request, whose scores
        choose the next token.
    attention: "causal" counts the (query, key) pairs that are attended; "full square" also those masked away.
    kv_heads: keys and values are read and written once per key/value head ("kv_heads"), or once per query head
        ("heads"), as an implementation does that repeats them before attention.
    """

    parameters: Parameters = "linear"
    output_head: OutputHead = "last position"
    attention: Attention = "causal"
    kv_heads: KvHeads = "kv_heads"

    def __post_init__(self):
        for field, accepted in _CHOICES.items():
            _check.choice(field, getattr(self, field), accepted)

    def __str__(self):
        parameters = {"all": "every parameter multiplied and read", "linear": "linear layers multiplied"}
        attention = {"causal": "causal attention", "full square": "attention over the full square"}
        kv = {"kv_heads": "KV per key/value head", "heads": "KV per query head"}
        return (
            f"{parameters[self.parameters]}, output head at {self.output_head.replace('last', 'the last')}, "
            f"{attention[self.attention]}, {kv[self.kv_heads]}"
        )


_CHOICES = {
    "parameters": get_args(Parameters),
    "output_head": get_args(OutputHead),
    "attention": get_args(Attention),
    "kv_heads": get_args(KvHeads),
}


_KV = ("kv_read", "kv_written")


class Parts(Mapping):
    """The parts of a count by name, each a coefficient times an amount that other parts may share.

    Amounts are functions, called when a part or a sum is asked for: over a large sweep, fresh memory for each array
    that is kept would take more time than the arithmetic.
    """

    def __init__(self, terms, amounts, shape):
        self._terms, self._amounts, self._shape = terms, amounts, shape

    def __getitem__(self, part):
        return self.sum([part])

    def __iter__(self):
        return iter(self._terms)

    def __len__(self):
        return len(self._terms)

    def __repr__(self):
        return repr(dict(self))

    def sum(self, parts):
        """The sum of the named parts."""
        coefficients = {}
        for coefficient, amount in map(self._terms.__getitem__, parts):
            coefficients[amount] = coefficients.get(amount, 0.0) + coefficient
        products = (size * as_float(self._amounts[amount]()) for amount, size in coefficients.items())
        return as_count(total(products), self._shape)


@dataclass(frozen=True)
class Work:
    """FLOPs and bytes of one pass, and the parts each is the sum of.

    Ints for a single pass, float64 arrays of the sweep's shape otherwise. One multiply and one add are two
    FLOPs. Bytes are those moved between the accelerator and its memory for weights, each read once in the pass,
    and for the KV cache; the traffic of activations is not counted.
    """

    flops: int
    bytes: int
    flops_by_part: Parts
    bytes_by_part: Parts

    @property
    def kv_bytes(self):
        """Bytes of keys and values read and written."""
        return self.bytes_by_part.sum(_KV)

    @property
    def weight_bytes(self):
        """Bytes of weights read."""
        return self.bytes_by_part.sum(part for part in self.bytes_by_part if part not in _KV)

    @property
    def intensity(self):
        """Arithmetic intensity in FLOPs per byte moved."""
        return self.flops / self.bytes


# What the plate counts: 2 FLOPs and one read for each parameter, the embedding table included.
PLATE_ACCOUNTING = Accounting(parameters="all", output_head="every position")
# What a well-made implementation has to do.
EXACT_ACCOUNTING = Accounting(parameters="linear", output_head="last position")


def count(model, forward_pass, accounting=PLATE_ACCOUNTING):
    """The `Work` of running `forward_pass` through `model`, counted by the conventions of `accounting`.

    FLOPs: 2 · rows · parameters for each linear part, and 4 · layers · heads · head_dim · pairs for attention
    (scores and weighted values). Bytes: each weight read once; keys and values of cached positions read and of
    new positions written, model.kv_bytes_per_token each.
    """
    _check.instance("model", model, Model)
    _check.instance("forward_pass", forward_pass, ForwardPass)
    _check.instance("accounting", accounting, Accounting)

    causal = accounting.attention == "causal"
    everything = accounting.parameters == "all"
    amounts = {
        "once": lambda: 1,
        "tokens": lambda: forward_pass.tokens,
        "requests": lambda: forward_pass.requests,
        "pairs": lambda: forward_pass.attended_pairs(model.window) if causal else forward_pass.square_pairs(),
        "positions read": lambda: forward_pass.positions_read(model.window),
        "positions written": lambda: forward_pass.positions_written,
    }
    head_rows = "tokens" if accounting.output_head == "every position" else "requests"
    parameters = model.parameters_by_part

    flops = {part: (2.0 * size, head_rows if part == "output_head" else "tokens") for part, size in parameters.items()}
    flops["attention"] = (4.0 * model.layers * model.heads * model.head_dim, "pairs")
    traffic = {part: (float(size * DTYPE_BYTES[model.weight_dtype]), "once") for part, size in parameters.items()}
    if not everything:
        flops["embedding"] = flops["norms"] = (0.0, "tokens")
        traffic["embedding"] = (0.0, "once")
    kv_bytes = float(model.kv_bytes_per_token)
    if accounting.kv_heads == "heads":
        kv_bytes *= model.heads // model.kv_heads
    traffic["kv_read"] = (kv_bytes, "positions read")
    traffic["kv_written"] = (kv_bytes, "positions written")

    flops, traffic = (Parts(terms, amounts, forward_pass.shape) for terms in (flops, traffic))
    return Work(flops.sum(flops), traffic.sum(traffic), flops, traffic)

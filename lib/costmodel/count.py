"""Counting: model × forward pass → FLOPs and bytes, part by part. Knows no hardware."""

from dataclasses import dataclass
from typing import Literal, get_args

from . import _check
from ._number import as_count, as_float
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
            object.__setattr__(self, field, _check.choice(field, getattr(self, field), accepted))

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


@dataclass(frozen=True)
class Work:
    """FLOPs and bytes of one pass, and the parts each is the sum of.

    Ints for a single pass, exact up to 2**53 and right to 16 digits beyond; float64 arrays of the sweep's shape
    otherwise. One multiply and one add are two FLOPs. Bytes are those moved between the accelerator and its memory for
    weights, each read once in the pass, and for the KV cache; the traffic of activations is not counted.

    Counted when asked for: over a large sweep, memory for results that nobody reads costs more than the arithmetic.
    """

    model: Model
    forward_pass: ForwardPass
    accounting: Accounting

    def __post_init__(self):
        _check.instance("model", self.model, Model)
        _check.instance("forward_pass", self.forward_pass, ForwardPass)
        _check.instance("accounting", self.accounting, Accounting)

    @property
    def flops(self):
        """All floating-point operations."""
        return self.forward_pass.total(lambda group: sum(self._flops(group).values()))

    @property
    def flops_by_part(self):
        """FLOPs of each part: 2 · rows · parameters, and 4 · layers · heads · head_dim · pairs for attention."""
        return self._by_part(self._flops)

    @property
    def bytes(self):
        """All bytes moved."""
        return self.forward_pass.total(
            lambda group: sum(self._kv(group).values()), shared=sum(self._weights().values())
        )

    @property
    def bytes_by_part(self):
        """Bytes of each part: its weights, and the keys and values read and written."""
        shape = self.forward_pass.shape
        return {part: as_count(size, shape) for part, size in self._weights().items()} | self._by_part(self._kv)

    @property
    def weight_bytes(self):
        """Bytes of weights read."""
        return as_count(sum(self._weights().values()), self.forward_pass.shape)

    @property
    def kv_bytes(self):
        """Bytes of keys and values read and written."""
        return self.forward_pass.total(lambda group: sum(self._kv(group).values()))

    @property
    def intensity(self):
        """Arithmetic intensity in FLOPs per byte moved."""
        return self.flops / self.bytes

    def _flops(self, group):
        """FLOPs of one request of a group, part by part."""
        model, accounting = self.model, self.accounting
        tokens = as_float(group.new)
        rows = dict.fromkeys(model.parameters_by_part, tokens)
        if accounting.parameters == "linear":
            rows["embedding"] = rows["norms"] = 0.0
        if accounting.output_head == "last position":
            rows["output_head"] = 1.0
        flops = {part: 2.0 * size * rows[part] for part, size in model.parameters_by_part.items()}
        pairs = group.attended_pairs(model.window) if accounting.attention == "causal" else group.square_pairs()
        return flops | {"attention": 4.0 * model.layers * model.heads * model.head_dim * pairs}

    def _weights(self):
        """Bytes of weights that the pass reads, part by part."""
        element_bytes = float(DTYPE_BYTES[self.model.weight_dtype])
        read = {part: element_bytes * size for part, size in self.model.parameters_by_part.items()}
        return read if self.accounting.parameters == "all" else read | {"embedding": 0.0}

    def _kv(self, group):
        """Bytes of keys and values that one request of a group reads and writes."""
        position_bytes = float(self.model.kv_bytes_per_token)
        if self.accounting.kv_heads == "heads":
            position_bytes *= self.model.heads // self.model.kv_heads
        read, written = group.positions_read(self.model.window), as_float(group.new)
        return {"kv_read": position_bytes * read, "kv_written": position_bytes * written}

    def _by_part(self, costs):
        parts = costs(self.forward_pass.groups[0])
        return {part: self.forward_pass.total(lambda group, part=part: costs(group)[part]) for part in parts}


# What the plate counts: 2 FLOPs and one read for each parameter, the embedding table included.
PLATE_ACCOUNTING = Accounting(parameters="all", output_head="every position")
# What a well-made implementation has to do.
EXACT_ACCOUNTING = Accounting(parameters="linear", output_head="last position")


def count(model, forward_pass, accounting=PLATE_ACCOUNTING):
    """The `Work` of running `forward_pass` through `model`, counted by the conventions of `accounting`."""
    return Work(model, forward_pass, accounting)

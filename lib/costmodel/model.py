"""A decoder-only transformer, as far as its size and shape decide what a forward pass costs."""

import json
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from . import _check
from .hf_config import read_hf_config

DTYPE_BYTES = MappingProxyType({"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 1, "int8": 1})


@dataclass(frozen=True)
class Model:
    """A dense decoder-only model with multi-head, grouped-query or multi-query attention.

    layers: decoder blocks. d_model: width of the residual stream.
    heads, kv_heads: query heads and key/value heads; heads is a multiple of kv_heads.
    head_dim: size of one head, which need not be d_model / heads.
    d_ff: inner width of the MLP. vocab: rows of the embedding table.
    tied_embeddings: the output head is the embedding table.
    gated_mlp: three matrices (gate, up, down), as in SwiGLU; otherwise two (up, down).
    window: positions that a query attends to at most, itself included; None for all.
    weight_dtype, kv_dtype: names in DTYPE_BYTES. Linear layers have no bias; norms have a gain each.
    """

    name: str
    layers: int
    d_model: int
    heads: int
    kv_heads: int
    head_dim: int
    d_ff: int
    vocab: int
    tied_embeddings: bool = False
    gated_mlp: bool = True
    window: int | None = None
    weight_dtype: str = "bf16"
    kv_dtype: str = "bf16"

    def __post_init__(self):
        object.__setattr__(self, "name", _check.text("name", self.name))
        for field in ("layers", "d_model", "heads", "kv_heads", "head_dim", "d_ff", "vocab"):
            object.__setattr__(self, field, _check.whole_number(field, getattr(self, field), 1))
        if self.heads % self.kv_heads:
            raise ValueError(
                f"heads must be a multiple of kv_heads, not {self.heads} heads for {self.kv_heads} kv_heads"
            )
        if self.window is not None:
            object.__setattr__(self, "window", _check.whole_number("window", self.window, 1))
        for field in ("tied_embeddings", "gated_mlp"):
            _check.flag(field, getattr(self, field))
        for field in ("weight_dtype", "kv_dtype"):
            object.__setattr__(self, field, _check.choice(field, getattr(self, field), tuple(DTYPE_BYTES)))

    @property
    def parameters_by_part(self):
        """Parameters of each part, as a dict. A tied table is listed once, as the output head."""
        queries, keys = self.heads * self.head_dim, self.kv_heads * self.head_dim
        table = self.vocab * self.d_model
        return {
            "embedding": 0 if self.tied_embeddings else table,
            # query and output projections, key and value projections
            "projections": self.layers * self.d_model * 2 * (queries + keys),
            "mlp": self.layers * self.d_model * self.d_ff * (3 if self.gated_mlp else 2),
            # one before attention and one before the MLP in each layer, one before the output head
            "norms": (2 * self.layers + 1) * self.d_model,
            "output_head": table,
        }

    @property
    def parameters(self):
        """Number of parameters."""
        return sum(self.parameters_by_part.values())

    @property
    def weight_bytes(self):
        """Bytes of all parameters."""
        return self.parameters * DTYPE_BYTES[self.weight_dtype]

    @property
    def kv_bytes_per_token(self):
        """Bytes of the keys and values of one position: 2 · layers · kv_heads · head_dim · bytes per element."""
        return 2 * self.layers * self.kv_heads * self.head_dim * DTYPE_BYTES[self.kv_dtype]

    @classmethod
    def from_hf(cls, source):
        """A `Model` from a Hugging Face `config.json`: its path, its JSON text, or the dict that it holds.

        ValueError names the field where one is missing or says something that this cost model does not count.
        """
        return cls(**read_hf_config(source))


def _catalogue():
    entries = json.loads(Path(__file__).with_name("models.json").read_text(encoding="utf-8"))
    return MappingProxyType({entry["name"]: Model(**entry) for entry in entries})


MODELS = _catalogue()
LLAMA_3_8B = MODELS["Llama 3 8B"]

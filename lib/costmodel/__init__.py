"""What a forward pass of a language model costs: counted in FLOPs and bytes, then timed on an accelerator.

>>> from costmodel import H100, LLAMA_3_8B, decode, estimate
>>> f"{estimate(decode(cached=1000), LLAMA_3_8B, H100).seconds * 1e3:.2f} ms"
'6.24 ms'
"""

from .accelerator import ACCELERATORS, H100, Accelerator, attainable
from .count import Accounting, Work, count
from .estimate import DATASHEET, EXACT, PLATE, Assumptions, Estimate, estimate
from .forward_pass import ForwardPass, Group, decode, prefill
from .generation import Generation, generation
from .limits import DecodeCeiling, compute_bound_batch, critical_context, decode_ceiling, kv_parity_batch, max_batch
from .linear import linear_flops, linear_intensity, linear_weights
from .model import DTYPE_BYTES, LLAMA_3_8B, MODELS, Model

__all__ = [
    "ACCELERATORS",
    "DATASHEET",
    "DTYPE_BYTES",
    "EXACT",
    "H100",
    "LLAMA_3_8B",
    "MODELS",
    "PLATE",
    "Accelerator",
    "Accounting",
    "Assumptions",
    "DecodeCeiling",
    "Estimate",
    "ForwardPass",
    "Generation",
    "Group",
    "Model",
    "Work",
    "attainable",
    "compute_bound_batch",
    "count",
    "critical_context",
    "decode",
    "decode_ceiling",
    "estimate",
    "generation",
    "kv_parity_batch",
    "linear_flops",
    "linear_intensity",
    "linear_weights",
    "max_batch",
    "prefill",
]

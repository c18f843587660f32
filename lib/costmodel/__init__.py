"""What a forward pass of a language model costs: counted in FLOPs and bytes, then timed on an accelerator.

>>> from costmodel import H100, LLAMA_3_8B, decode, estimate
>>> f"{estimate(decode(cached=1000), LLAMA_3_8B, H100).seconds * 1e3:.2f} ms"
'6.24 ms'
"""

from .accelerator import ACCELERATORS, H100, Accelerator, attainable
from .count import Accounting, Work, count
from .estimate import DATASHEET, EXACT, PLATE, Assumptions, Estimate, estimate
from .forward_pass import ForwardPass, Group, decode, prefill
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
    "Estimate",
    "ForwardPass",
    "Group",
    "Model",
    "Work",
    "attainable",
    "count",
    "decode",
    "estimate",
    "linear_flops",
    "linear_intensity",
    "linear_weights",
    "prefill",
]

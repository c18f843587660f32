"""A small Llama-style decoder that runs with a KV cache and counts what it does. NumPy alone."""

from .cache import Cache
from .counter import Counter, Operation
from .decoder import Config, Decoder

__all__ = ["Cache", "Config", "Counter", "Decoder", "Operation"]

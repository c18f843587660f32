"""The hardware: peak arithmetic, memory bandwidth, memory size, and the roofline they draw."""

import json
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from . import _check
from ._contents import read_only

# field: unit, and the least that it can be: less is a figure in other units, such as TFLOP/s or GB
_RANGES = {"peak_flops": ("FLOP/s", 1e6), "bandwidth": ("bytes per second", 1e6), "memory": ("bytes", 1e4)}


@dataclass(frozen=True)
class Accelerator:
    """One accelerator as its datasheet describes it.

    peak_flops: dense peak in FLOP/s at the precision that the model computes in (never the sparse figure).
    bandwidth: bytes per second between the accelerator and its memory.
    memory: bytes of that memory, at least 1e4. Rates are at least 1e6, and all three at most 1e30: less is a figure in
    other units, and with more a time could be zero.
    source, date: where the figures stand, and the date of that document.
    """

    name: str
    peak_flops: float
    bandwidth: float
    memory: float
    source: str = "not given"
    date: str = "not given"

    def __post_init__(self):
        for field in ("name", "source", "date"):
            object.__setattr__(self, field, _check.text(field, getattr(self, field)))
        for field, (unit, least) in _RANGES.items():
            value = _check.real(field, getattr(self, field), unit=unit, at_least=least, at_most=1e30)
            object.__setattr__(self, field, value)

    @property
    def ridge(self):
        """The intensity in FLOPs per byte at which both limits take the same time: peak_flops / bandwidth."""
        return self.peak_flops / self.bandwidth


def attainable(intensity, accelerator):
    """FLOP/s under the roofline: min(peak_flops, intensity · bandwidth).

    `intensity` is in FLOPs per byte, a number or an array of numbers from 0 to 1e30.
    Source: Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009.
    """
    _check.instance("accelerator", accelerator, Accelerator)
    intensity = _check.reals("intensity", intensity, at_least=0, at_most=1e30)
    roof = np.minimum(accelerator.peak_flops, intensity * accelerator.bandwidth)
    return read_only(roof) if isinstance(intensity, np.ndarray) else float(roof)


def _catalogue():
    entries = json.loads(Path(__file__).with_name("accelerators.json").read_text(encoding="utf-8"))
    return MappingProxyType({entry["name"]: Accelerator(**entry) for entry in entries})


ACCELERATORS = _catalogue()
H100 = ACCELERATORS["H100 SXM"]

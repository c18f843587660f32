"""Timing: FLOPs and bytes × accelerator × assumptions → seconds."""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from . import _check
from ._contents import ByContents, read_only
from .accelerator import Accelerator
from .count import EXACT_ACCOUNTING, PLATE_ACCOUNTING, Accounting, count
from .forward_pass import ForwardPass
from .model import Model


@dataclass(frozen=True)
class Assumptions:
    """What turns counts into seconds. Printed, it is the one line that each table and figure carries.

    compute_efficiency, bandwidth_efficiency: share of each peak that is reached, in (0, 1].
    overhead_seconds: time per pass that neither limit explains (launches, synchronisation), at most 1e6.
    accounting: the conventions of counting.
    knee: how the two times join, as the p of the norm (compute**p + memory**p)**(1/p). Infinity is the larger
        of the two, a hard knee: both proceed at once and the slower one decides. 1 is their sum: nothing overlaps.
    """

    compute_efficiency: float = 1.0
    bandwidth_efficiency: float = 1.0
    overhead_seconds: float = 0.0
    accounting: Accounting = EXACT_ACCOUNTING
    knee: float = math.inf

    def __post_init__(self):
        checked = {
            "compute_efficiency": _check.real("compute_efficiency", self.compute_efficiency, above=0, at_most=1),
            "bandwidth_efficiency": _check.real("bandwidth_efficiency", self.bandwidth_efficiency, above=0, at_most=1),
            "overhead_seconds": _check.real("overhead_seconds", self.overhead_seconds, at_least=0, at_most=1e6),
            "knee": _check.real("knee", self.knee, at_least=1, infinite=True),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        _check.instance("accounting", self.accounting, Accounting)

    def reached(self, accelerator):
        """`accelerator` with the peaks that are reached: its roofline and ridge under these assumptions.

        ValueError where less than one FLOP or byte per second would be left.
        """
        _check.instance("accelerator", accelerator, Accelerator)
        return replace(
            accelerator,
            peak_flops=accelerator.peak_flops * self.compute_efficiency,
            bandwidth=accelerator.bandwidth * self.bandwidth_efficiency,
        )

    def __str__(self):
        knee = "hard knee" if math.isinf(self.knee) else f"knee {self.knee:g}"
        return (
            f"{100 * self.compute_efficiency:g}% of peak compute, {100 * self.bandwidth_efficiency:g}% of peak "
            f"bandwidth, {1e3 * self.overhead_seconds:g} ms per pass, {knee}; {self.accounting}"
        )


PLATE = Assumptions(0.6, 0.8, 0.2e-3, PLATE_ACCOUNTING)
EXACT = Assumptions(0.6, 0.8, 0.2e-3, EXACT_ACCOUNTING)
DATASHEET = Assumptions(1.0, 1.0, 0.0, EXACT_ACCOUNTING)


@dataclass(frozen=True, eq=False)
class Estimate(ByContents):
    """The time of one pass, and what it rests on. Plain numbers for a single pass, arrays over a sweep.

    seconds: time of the pass: those of its two limits joined by the knee, plus the overhead. It follows from the rest.
    """

    forward_pass: ForwardPass
    model: Model
    accelerator: Accelerator
    assumptions: Assumptions
    seconds: float = field(init=False)

    def __post_init__(self):
        _check.instance("assumptions", self.assumptions, Assumptions)
        limits = join_limits(self.compute_seconds, self.memory_seconds, self.assumptions.knee)
        object.__setattr__(self, "seconds", read_only(limits + self.assumptions.overhead_seconds))

    def __str__(self):
        if self.forward_pass.shape:
            return f"{self.seconds.size:,} passes; {self.assumptions}"
        return (
            f"{_ms(self.seconds)} for {self.tokens:,} token{'' if self.tokens == 1 else 's'}, {self.bound}-bound: "
            f"compute {_ms(self.compute_seconds)}, memory {_ms(self.memory_seconds)}, "
            f"overhead {_ms(self.assumptions.overhead_seconds)}; {self.assumptions}"
        )

    @property
    def work(self):
        """The `Work` of the pass."""
        return count(self.model, self.forward_pass, self.assumptions.accounting)

    @property
    def compute_seconds(self):
        """Seconds that the arithmetic alone takes, at the share of its peak that is reached."""
        return self.work.flops / self.assumptions.reached(self.accelerator).peak_flops

    @property
    def memory_seconds(self):
        """Seconds that moving the bytes alone takes, at the share of its peak that is reached."""
        return self.work.bytes / self.assumptions.reached(self.accelerator).bandwidth

    @property
    def tokens(self):
        """New tokens in the pass."""
        return self.forward_pass.tokens

    @property
    def flops(self):
        """FLOPs of the pass."""
        return self.work.flops

    @property
    def bytes(self):
        """Bytes moved by the pass."""
        return self.work.bytes

    @property
    def intensity(self):
        """FLOPs per byte moved."""
        return self.work.intensity

    @property
    def seconds_per_token(self):
        """Seconds of the pass divided by the tokens in it."""
        return self.seconds / self.tokens

    @property
    def tokens_per_second(self):
        """Tokens in the pass divided by its seconds."""
        return self.tokens / self.seconds

    @property
    def bound(self):
        """The limit that takes longer: "compute" or "memory"."""
        return longer_limit(self.compute_seconds, self.memory_seconds)

    @property
    def compute_utilisation(self):
        """Share of the accelerator's peak arithmetic that the pass uses."""
        return self.assumptions.compute_efficiency * (self.compute_seconds / self.seconds)

    @property
    def bandwidth_utilisation(self):
        """Share of the accelerator's peak bandwidth that the pass uses."""
        return self.assumptions.bandwidth_efficiency * (self.memory_seconds / self.seconds)


def estimate(forward_pass, model, accelerator, assumptions=PLATE):
    """The `Estimate` of one forward pass of `model` on `accelerator`.

    seconds = knee(flops / (peak_flops · compute_efficiency), bytes / (bandwidth · bandwidth_efficiency)) + overhead
    """
    return Estimate(forward_pass, model, accelerator, assumptions)


def _ms(seconds):
    """Milliseconds to three significant digits, without powers of ten."""
    return f"{float(f'{1e3 * seconds:.3g}'):,.15g} ms"


def longer_limit(compute_seconds, memory_seconds):
    """The limit that takes longer, "compute" where both take the same; an array of names over a sweep."""
    bound = np.where(compute_seconds >= memory_seconds, "compute", "memory")
    return bound if bound.ndim else str(bound)


def join_limits(compute_seconds, memory_seconds, knee):
    """Seconds in which both limits are served: their `knee`-norm, the longer of them at infinity."""
    # Arrays of no dimension, not Python floats: NumPy's power must round a single pass as it does a sweep.
    compute, memory = np.asarray(compute_seconds), np.asarray(memory_seconds)
    longer = np.maximum(compute, memory)
    if not math.isinf(knee):
        longer = longer * np.power(1 + np.power(np.minimum(compute, memory) / longer, knee), 1 / knee)
    return longer if longer.ndim else float(longer)

"""Where batching ends: the limits that decode runs into as requests are added.

A decode pass of `batch` requests, each with `cached` positions, is linear in the batch:

    FLOPs(batch) = batch · flops          flops: of one request's token, attention included
    bytes(batch) = weights + batch · kv   kv: of the cached positions read and the one written

The weights are read once, and what each request adds is its own. `count` of one request holds all three, so that
each limit below follows from it under any accounting.
"""

from dataclasses import dataclass

import numpy as np

from . import _check
from ._contents import ByContents, read_only
from ._number import as_float
from .accelerator import Accelerator
from .count import PLATE_ACCOUNTING, count
from .estimate import PLATE, Assumptions, join_limits, longer_limit
from .forward_pass import decode
from .model import Model


def kv_parity_batch(model, cached, accounting=PLATE_ACCOUNTING):
    """The batch at which the KV traffic of a decode pass equals its weight reads. It need not be whole.

    weights = batch · kv gives batch = weights / kv. `cached` is an int or an integer array.
    """
    work = count(model, decode(cached), accounting)
    return read_only(work.weight_bytes / work.kv_bytes)


def compute_bound_batch(model, accelerator, cached, assumptions=PLATE):
    """The batch from which decode is compute-bound, None where no batch is. It need not be whole.

    With a request's arithmetic taking `compute` seconds, its KV traffic `kv` and the reading of the weights `weights`,
    each at the share of its peak that is reached, batch · compute = weights + batch · kv gives
    batch = weights / (compute - kv). Where compute is not above kv, no batch is compute-bound: the attended length
    cached + 1 is then the critical one or longer. The knee plays no part.

    `cached` is an int or an integer array. An array has infinity in place of None.
    """
    _check.instance("assumptions", assumptions, Assumptions)
    reached = assumptions.reached(accelerator)
    work = count(model, decode(cached), assumptions.accounting)
    gain = np.asarray(work.flops / reached.peak_flops - work.kv_bytes / reached.bandwidth)
    weights = work.weight_bytes / reached.bandwidth
    batch = np.divide(weights, gain, out=np.full(gain.shape, np.inf), where=gain > 0)
    if batch.ndim:
        return read_only(batch)
    return float(batch) if np.isfinite(batch) else None


@dataclass(frozen=True, eq=False)
class DecodeCeiling(ByContents):
    """What decode tends to as the batch grows without end. Plain values, or arrays over a sweep.

    tokens_per_second: of all requests together. bound: the limit that sets it, "compute" or "memory".
    """

    tokens_per_second: float
    bound: str

    def __post_init__(self):
        rate = _check.reals("tokens_per_second", self.tokens_per_second, above=0)
        object.__setattr__(self, "tokens_per_second", rate)
        object.__setattr__(self, "bound", _check.choices("bound", self.bound, ("compute", "memory")))


def decode_ceiling(model, accelerator, cached, assumptions=PLATE):
    """The `DecodeCeiling` for requests with `cached` positions each, an int or an integer array.

    Divided by the batch, the weights and the overhead vanish, and a token takes
    knee(flops / (peak_flops · compute_efficiency), kv / (bandwidth · bandwidth_efficiency)).
    Throughput rises towards the ceiling and never reaches it, unless compute sets it with a hard knee and no
    overhead.
    """
    _check.instance("assumptions", assumptions, Assumptions)
    reached = assumptions.reached(accelerator)
    work = count(model, decode(cached), assumptions.accounting)
    compute_seconds = work.flops / reached.peak_flops
    memory_seconds = work.kv_bytes / reached.bandwidth
    return DecodeCeiling(
        tokens_per_second=1 / join_limits(compute_seconds, memory_seconds, assumptions.knee),
        bound=longer_limit(compute_seconds, memory_seconds),
    )


def critical_context(model, accelerator, assumptions=PLATE):
    """The attended length from which no batch makes decode compute-bound, or None where there is none.

    A request that attends to L = cached + 1 positions adds linear + attention · L FLOPs and kv · L bytes, attention
    and kv being those of one position. With the ridge (peak_flops · compute_efficiency) / (bandwidth ·
    bandwidth_efficiency), its bytes take as long as its FLOPs where kv · L · ridge = linear + attention · L:
    L = linear / (kv · ridge - attention). From there on the weights can only add to the memory's time. Below it, a
    large enough batch is compute-bound. L need not be whole; below 1 it says that every decode is memory-bound. The
    knee plays no part, as it does not change which limit is the longer.

    None where more context does not bring this about: where attention alone is compute-bound, kv · ridge not being
    above its FLOPs; where a window stops the KV traffic from growing before it gets there; and under a window
    with attention counted over the full square, whose FLOPs grow on when the KV traffic does not.
    """
    _check.instance("assumptions", assumptions, Assumptions)
    reached = assumptions.reached(accelerator)
    work = count(model, decode(cached=0), assumptions.accounting)  # L = 1
    attention = work.flops_by_part["attention"]
    surplus = work.kv_bytes * reached.ridge - attention
    if surplus <= 0:
        return None
    length = (work.flops - attention) / surplus
    if model.window is None:
        return length
    return length if assumptions.accounting.attention == "causal" and length < model.window else None


def max_batch(model, accelerator, cached, reserve=0.1):
    """How many requests' KV fits in memory beside the weights: an int, or over a sweep an int64 array.

    floor((memory · (1 - reserve) - model.weight_bytes) / KV of one request), 0 where that is negative. `reserve` is
    the share of the memory that is kept free, in [0, 1]. A request with `cached` positions holds cached + 1 when its
    decode pass is done, under a window no more than `window` of them. At most 2**53, the largest batch of a pass.
    """
    _check.instance("model", model, Model)
    _check.instance("accelerator", accelerator, Accelerator)
    reserve = _check.real("reserve", reserve, at_least=0, at_most=1)
    forward_pass = decode(cached)
    positions = as_float(forward_pass.positions_read(model.window)) + forward_pass.positions_written
    free = accelerator.memory * (1 - reserve) - model.weight_bytes
    batch = np.clip(free // (model.kv_bytes_per_token * positions), 0, _check.LARGEST_COUNT)
    return read_only(batch.astype(np.int64)) if batch.ndim else int(batch)

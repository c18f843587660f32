"""Measuring the machine that this runs on: matrix products of one decoder layer, and the two ceilings they run under.

It only measures. What the cost model predicts from the ceilings is drawn by `figures/your_machine.py`.
`python -m course.machine` prints a run as JSON; `measurements/cpu_layer.json` holds a recorded one.
"""

import argparse
import json
import math
import os
import platform
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import date
from numbers import Real
from pathlib import Path
from time import perf_counter

import numpy as np

import measurements
from costmodel import MODELS, Accelerator

# Its 243 MB in float32 are more than caches hold, and few enough for a small machine.
MODEL = MODELS["Llama 3.2 1B"]
ROWS = tuple(2**power for power in range(11))
SQUARES = (512, 1024, 2048)  # edges of the square products; a slow machine has time for the small ones only


@dataclass(frozen=True)
class Run:
    """What was measured, and on what.

    processor, cores, threads, blas, numpy, date: the machine as Python sees it; `threads` are those that BLAS may use.
    matrices: name → (d_in, d_out) of each weight matrix. bytes_per_element: of weights, inputs and outputs.
    bandwidth: B/s of the fastest copy of the weights, bytes read plus bytes written.
    peak_flops: FLOP/s of the fastest square product.
    rows, seconds: the rows of each pass, and the least time in which all matrices were multiplied with so many.
    """

    processor: str
    cores: int
    threads: int
    blas: str
    numpy: str
    date: str
    layer: str
    matrices: dict[str, tuple[int, int]]
    bytes_per_element: int
    bandwidth: float
    peak_flops: float
    rows: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def accelerator(self):
        """The machine as the cost model sees it: its two measured ceilings, and memory for the weights."""
        weights = sum(d_in * d_out for d_in, d_out in self.matrices.values())
        return Accelerator(
            self.processor, self.peak_flops, self.bandwidth, weights * self.bytes_per_element, "measured", self.date
        )


def recorded():
    """The `Run` that the published page shows: of those recorded, the one whose passes were least disturbed."""
    return min(recorded_runs(), key=lambda run: sum(run.seconds))


def recorded_runs():
    """Every recorded `Run`, in the order in which they were made."""
    return [Run(**fields) for fields in measurements.load("cpu_layer")["runs"]]


class Layer:
    """The weight matrices of one layer in float32, one after the other in `block`, and the inputs to multiply.

    weights: name → array [d_in, d_out]. The norms and attention of the layer are left out.
    """

    def __init__(self, model, most_rows):
        queries, keys = model.heads * model.head_dim, model.kv_heads * model.head_dim
        shapes = {
            "q": (model.d_model, queries),
            "k": (model.d_model, keys),
            "v": (model.d_model, keys),
            "o": (queries, model.d_model),
            **({"gate": (model.d_model, model.d_ff)} if model.gated_mlp else {}),
            "up": (model.d_model, model.d_ff),
            "down": (model.d_ff, model.d_model),
        }
        # not zeros: those would be one page of memory, mapped many times
        random = np.random.default_rng(0)
        ends = np.cumsum([d_in * d_out for d_in, d_out in shapes.values()])
        self.block = random.random(ends[-1], dtype=np.float32)
        parts = np.split(self.block, ends[:-1])
        self.weights = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
        self._inputs = {width: random.random((most_rows, width), dtype=np.float32) for width, _ in shapes.values()}
        self._outputs = {width: np.ones((most_rows, width), dtype=np.float32) for _, width in shapes.values()}

    def multiply(self, rows):
        """Y [rows, d_out] = X [rows, d_in] · W [d_in, d_out] for each matrix."""
        for weights in self.weights.values():
            d_in, d_out = weights.shape
            np.matmul(self._inputs[d_in][:rows], weights, out=self._outputs[d_out][:rows])


@dataclass
class _Job:
    """Something to time. work: the FLOPs or bytes that it takes. least: the fewest seconds that it took so far."""

    run: Callable[[], None]
    work: int
    least: float = math.inf


def measure(model=MODEL, rows=ROWS, budget_seconds=15):
    """A `Run` of this machine: one layer of `model`, multiplied with each of the ascending counts in `rows`.

    Copies, square products and passes take turns until the time is up, and the least time of each counts: a
    disturbance can only add to it. Where the budget is short for a count of rows, that and larger ones are left out;
    the smallest of each kind always runs. Whole passes are timed, so memory is needed for the weights twice.
    """
    rows = tuple(rows)
    if not rows or any(type(row) is not int or row < 1 for row in rows) or list(rows) != sorted(set(rows)):
        raise ValueError(f"rows must be ascending whole numbers of at least 1, not {rows}")
    if isinstance(budget_seconds, bool) or not isinstance(budget_seconds, Real):
        raise TypeError(f"budget_seconds must be a finite number above 0, not {budget_seconds!r}")
    if not 0 < budget_seconds < math.inf:
        raise ValueError(f"budget_seconds must be a finite number above 0, not {budget_seconds!r}")
    end = perf_counter() + budget_seconds
    layer = Layer(model, rows[-1])
    with ThreadPoolExecutor(_threads()) as pool:
        copies, squares, passes = series = _copies(layer.block, pool), _squares(), _passes(layer, rows)
        _take_turns(series, end)
    timed = [(row, job.least) for row, job in zip(rows, passes, strict=True) if job.least < math.inf]
    return Run(
        **_environment(),
        layer=f"the linear layers of one layer of {model.name}, {layer.block.dtype}",
        matrices={name: weights.shape for name, weights in layer.weights.items()},
        bytes_per_element=layer.block.itemsize,
        bandwidth=max(job.work / job.least for job in copies),
        peak_flops=max(job.work / job.least for job in squares),
        rows=tuple(row for row, _ in timed),
        seconds=tuple(seconds for _, seconds in timed),
    )


def _take_turns(series, end):
    """Run the jobs of each series in turn, round after round, as long as they are expected to finish before `end`.

    A job that has not run is expected to take as long per work as the one before it, which is smaller.
    """
    while True:
        for jobs in series:
            for index, job in enumerate(jobs):
                before = jobs[index - 1]
                expected = job.least if job.least < math.inf else before.least * job.work / before.work
                first = index == 0 and job.least == math.inf
                if first or perf_counter() + expected <= end:
                    start = perf_counter()
                    job.run()
                    job.least = min(job.least, perf_counter() - start)
        if perf_counter() + sum(job.least for jobs in series for job in jobs if job.least < math.inf) > end:
            return


def _copies(block, pool):
    """A copy by one thread, and one by as many as BLAS has: one core may not fill the bus to memory."""
    target, threads = np.ones_like(block), _threads()
    parts = np.array_split(target, threads), np.array_split(block, threads)
    jobs = [_Job(lambda: np.copyto(target, block), block.nbytes + target.nbytes)]
    if threads > 1:
        jobs.append(_Job(lambda: list(pool.map(np.copyto, *parts)), block.nbytes + target.nbytes))
    return jobs


def _squares():
    a, b = np.random.default_rng(1).random((2, SQUARES[-1] ** 2), dtype=np.float32)
    out = np.ones_like(a)

    def job(edge):
        left, right, product = (array[: edge**2].reshape(edge, edge) for array in (a, b, out))
        return _Job(lambda: np.matmul(left, right, out=product), 2 * edge**3)

    return [job(edge) for edge in SQUARES]


def _passes(layer, rows):
    """One pass for each count of rows: a multiply and an add for each row and weight."""
    return [_Job(lambda row=row: layer.multiply(row), 2 * row * layer.block.size) for row in rows]


def _environment():
    blas = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return {
        "processor": _processor(),
        "cores": _cores(),
        "threads": _threads(),
        "blas": f"{blas.get('name', 'BLAS unknown')} {blas.get('version', '')}".strip(),
        "numpy": np.__version__,
        "date": date.today().isoformat(),
    }


def _processor():
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return next(filter(None, [*names, platform.processor(), platform.machine()]), "unknown processor")


def _cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _threads():
    """Threads that BLAS may use: what the environment allows it, else one per core; in a browser there is only one."""
    if sys.platform == "emscripten":
        return 1
    allowed = (os.environ.get(f"{name}_NUM_THREADS", "") for name in ("OPENBLAS", "MKL", "OMP"))
    return next((int(number) for number in allowed if number.isdigit() and int(number) > 0), _cores())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure this machine and print the run as JSON.")
    parser.add_argument("--seconds", type=float, default=15, help="time to take, 15 unless told")
    fields = asdict(measure(budget_seconds=parser.parse_args().seconds))
    print("{\n" + ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in fields.items()) + "\n}")

"""The page after 06."""

import inspect

import numpy as np

from costmodel import H100, LLAMA_3_8B, decode, estimate, prefill
from course import machine
from course.figures.your_machine import limits, predicted_seconds

PAGE = "notebooks/06b_your_machine.ipynb"


def facts():
    run, runs = machine.recorded(), machine.recorded_runs()
    ratio = np.array(run.seconds) / predicted_seconds(run)
    others = [np.array(other.seconds) / predicted_seconds(other) for other in runs if other != run]
    low, middle, high = sorted(other.bandwidth / 1e9 for other in runs)
    single = [other.seconds[0] * 1e3 for other in runs]
    (last,) = {f"{other[-1]:.2f}" for other in others}
    farthest = int(np.argmax(ratio))

    weights = sum(d_in * d_out for d_in, d_out in run.matrices.values())
    widths_in, widths_out = (set(widths) for widths in zip(*run.matrices.values(), strict=True))
    held = 2 * weights + run.rows[-1] * (sum(widths_in) + sum(widths_out)) + 3 * machine.SQUARES[-1] ** 2
    budget_seconds = inspect.signature(machine.measure).parameters["budget_seconds"].default

    sweep = np.arange(1, 2048)
    ours, theirs = limits(run, sweep), estimate(prefill(sweep), LLAMA_3_8B, H100)
    first, several, many = run.seconds[0], run.seconds[1:4], run.seconds[-1]
    return [
        f"{weights / 1e6:.1f} million weights",
        f"{weights * run.bytes_per_element / 1e6:.0f} MB",
        f"{run.bytes_per_element} bytes hold one float32",
        f"one row to {run.rows[-1]:,}",
        f"one of {run.rows[-1]:,}",
        f"At {run.rows[-1]:,} rows it takes {many * 1e3:.0f} ms, and {predicted_seconds(run)[-1] * 1e3:.0f} ms",
        f"{first * 1e3:.2f} ms, and {predicted_seconds(run)[0] * 1e3:.2f} ms",
        f"{first / (many / run.rows[-1]):.1f} times",
        f"{run.accelerator.ridge:.1f} FLOPs per byte",
        f"{sweep[ours['compute'] >= ours['memory']][0]} rows on",
        f"{sweep[theirs.bound == 'compute'][0]} tokens",
        f"From two rows to {run.rows[np.flatnonzero(ratio > 1.2)[-1]]} the dots of",
        f"at {('one', 'two', 'four')[farthest]} rows by a factor of {ratio[farthest]:.2f}",
        "{:.1f}, {:.1f} and {:.1f} ms".format(*(seconds * 1e3 for seconds in several)),
        f"{low:.0f}, {middle:.0f} and {high:.0f} GB/s",
        f"{min(single):.2f} to {max(single):.2f} ms",
        f"{others[0][0]:.2f} and {others[1][0]:.2f} there",
        f"at {run.rows[-1]:,} rows it was {last} in both",
        f"{budget_seconds} seconds",
        f"{held * run.bytes_per_element / 1e9:.1f} GB of memory",
        f"{first * 1e3:.2f} ms against {many / run.rows[-1] * 1e3:.3f} ms",
        # exercises
        f"{decode(1000).positions_read():,} cached positions",
        # names
        *(machine.MODEL.name, "H100", "BF16", "float32"),
    ]

"""The page after 06: one layer's matrix products measured on a processor, beside what two ceilings predict."""

import numpy as np

from costmodel import linear_flops, linear_weights

from ..machine import ROWS, recorded
from ..output import Picture
from ..style import COLOURS, by_limit, canvas, decades, drawn_in_style, label, log_ticks, name_limits, with_turns
from ..words import count, milliseconds, significant


def limits(run, rows):
    """Seconds that each of the run's two ceilings asks of a pass with `rows` rows: a dict of two arrays.

    compute: 2 · rows · d_in · d_out FLOPs for each matrix, over peak_flops.
    memory: each weight read once, over bandwidth.
    """
    rows, accelerator = np.asarray(rows), run.accelerator
    flops = sum(linear_flops(rows, d_in, d_out) for d_in, d_out in run.matrices.values())
    read_bytes = sum(linear_weights(d_in, d_out) for d_in, d_out in run.matrices.values()) * run.bytes_per_element
    return {
        "compute": flops / accelerator.peak_flops,
        "memory": np.full(rows.shape, read_bytes / accelerator.bandwidth),
    }


def predicted_seconds(run, rows=None):
    """Seconds of a pass, the longer of its two `limits`: an array over `rows`, the run's own unless told."""
    return np.maximum(*limits(run, run.rows if rows is None else rows).values())


@drawn_in_style
def curve(run=None):
    """Milliseconds per row against the rows in a pass: measured as dots, predicted from the two ceilings as a line.

    run: a `course.machine.Run`; the recorded one unless told.
    """
    run = run or recorded()
    rows, seconds, expected = np.array(run.rows), np.array(run.seconds), predicted_seconds(run)
    measured, ratio = seconds / rows * 1e3, seconds / expected

    figure, axes = canvas(3.4)
    every = limits(run, np.arange(1, max(rows[-1], ROWS[-1]) + 1))
    turns = np.where(every["compute"] >= every["memory"], "compute", "memory")
    sweep = with_turns(np.unique(np.geomspace(1, turns.size, 97).round().astype(int)), turns)
    ceilings = {limit: times[sweep - 1] / sweep * 1e3 for limit, times in every.items()}
    low, high = decades([*measured, *np.maximum(*ceilings.values())])
    axes.set(xscale="log", yscale="log", xlim=(0.8, 1.3 * sweep[-1]), ylim=(low, high))
    axes.set(xlabel="rows in the pass", ylabel="milliseconds per row")
    log_ticks(axes.xaxis, [row for row in 2 ** np.arange(0, 31, 2) if row <= sweep[-1]])
    log_ticks(axes.yaxis, 10.0 ** np.arange(np.log10(low), np.log10(high) + 0.5))
    _prediction(axes, sweep, ceilings, turns[sweep - 1])
    axes.plot(rows, measured, "o", color=COLOURS["ink"], markersize=6, markeredgecolor=COLOURS["paper"])
    farthest = int(np.argmax(np.abs(np.log(ratio))))
    place = {"x": rows[farthest] * 1.3} if rows[farthest] < 64 else {"x": rows[farthest] / 1.3, "ha": "right"}
    place |= {"y": measured[farthest] * 1.1, "va": "bottom"}
    label(axes, text=f"measured: {significant(ratio[farthest])} times\nthe predicted time", role="ink", **place)

    reading = "; ".join(
        f"{_many(rows[i], 'row')}, {milliseconds(seconds[i])} measured and {milliseconds(expected[i])} predicted"
        for i in sorted({0, farthest, len(rows) - 1})
    )
    return Picture(
        name="your-machine",
        figure=figure,
        alt="Milliseconds per row of one layer's matrix products against the rows in the pass, both on logarithmic "
        f"scales: dots as measured, a line as the two ceilings predict. Time of a pass: {reading}.",
        reading=f"Time of a pass: {reading}.",
        values={
            "rows": rows,
            "ms per pass, measured": seconds * 1e3,
            "ms per pass, predicted": expected * 1e3,
            "measured / predicted": ratio,
            "ms per row, measured": measured,
        },
        basis=f"Measured on {run.date}: {run.processor}, {_many(run.cores, 'core')}, {_many(run.threads, 'thread')}, "
        f"{run.blas}, NumPy {run.numpy}; {run.layer}. Ceilings of the same run: "
        f"{significant(run.bandwidth / 1e9)} GB/s (copy, bytes read plus bytes written), "
        f"{significant(run.peak_flops / 1e9)} GFLOP/s (square product).",
    )


def _prediction(axes, sweep, ceilings, bound):
    """The line of the prediction in the colour of the ceiling that limits, and each ceiling on its own, dashed."""
    name_limits(axes, sweep, bound)
    for limit, ceiling in ceilings.items():
        axes.plot(sweep, ceiling, color=COLOURS[limit], linewidth=1, linestyle="--", alpha=0.7)
    by_limit(axes, sweep, np.maximum(*ceilings.values()), bound, np.full(sweep.shape, True))
    label(axes, 0.9, ceilings["memory"][0] / 3, "predicted:\nreading\nthe weights", "memory", va="top")
    label(axes, sweep[-1], ceilings["compute"][-1] / 1.3, "predicted: arithmetic", "compute", ha="right", va="top")


def _many(number, thing):
    return f"{count(number)} {thing}{'' if number == 1 else 's'}"

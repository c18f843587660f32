"""Page 07: what the requests of one decode pass share, and what each of them brings."""

import numpy as np
from matplotlib.patches import Rectangle

from costmodel import H100, LLAMA_3_8B, PLATE, count, decode, estimate, max_batch

from ..output import Picture
from ..style import (
    COLOURS,
    by_limit,
    canvas,
    decades,
    drawn_in_style,
    label,
    log_ticks,
    marker,
    name_limits,
    no_axes,
    with_turns,
)
from ..words import basis, holds_none, milliseconds, percent, rate, significant
from ..words import count as counted
from ..workshop import Slider, Workshop

REQUESTS = ("A", "B", "C")


@drawn_in_style
def shared_weights(attended=5, model=LLAMA_3_8B, assumptions=PLATE):
    """Request A alone, then A, B and C: the same W for all, and KV of `attended` positions for each."""
    together = [count(model, decode(attended - 1, batch), assumptions.accounting) for batch in (1, len(REQUESTS))]
    figure, panels = canvas(3.6, rows=2)
    for axes, work, title in zip(panels, together, ("A alone", "A, B and C together"), strict=True):
        requests = REQUESTS[: round(work.kv_bytes / together[0].kv_bytes)]
        inputs = "1 new input" if len(requests) == 1 else f"{len(requests)} new inputs"
        no_axes(axes, 0, 4.6, -0.02, 1.4)
        axes.set(aspect="equal", title=f"{title}: {inputs}")
        label(axes, 2.68, 1.2, f"KV of {attended} positions {'each' if len(requests) > 1 else ''}", "ink")
        axes.add_patch(Rectangle((1.05, 0), 1.2, 1.1, facecolor=COLOURS["weights"], alpha=0.15, linewidth=0))
        axes.add_patch(Rectangle((1.05, 0), 1.2, 1.1, fill=False, edgecolor=COLOURS["weights"]))
        words = f"W\n{_gigabytes(work.weight_bytes)}\nread once"
        label(axes, 1.65, 0.55, words, "weights", ha="center", va="center", linespacing=1.5)
        for row, request in enumerate(requests):
            _request(axes, 0.93 - 0.38 * row, request, attended, work.kv_bytes / len(requests))
    columns = {
        "requests": (1, len(REQUESTS)),
        "weights, bytes": [work.weight_bytes for work in together],
        "KV, bytes": [work.kv_bytes for work in together],
        "FLOPs": [work.flops for work in together],
    }
    return Picture(
        name="shared-weights",
        figure=figure,
        alt=f"A scheme in two parts. Request A alone passes through W, {_gigabytes(together[0].weight_bytes)}, and "
        f"uses its own KV of {attended} positions, {_megabytes(together[0].kv_bytes)}. A, B and C together pass "
        "through the same W, read once, and each uses its own KV: "
        f"{_megabytes(together[1].kv_bytes)} in all.",
        values=columns,
        basis=f"Scheme, not to scale. {model.name}, its layers drawn as one W. Counted: {assumptions.accounting}.",
    )


def _request(axes, y, request, attended, kv_bytes):
    """One request's row: its new input, the arrows through W, and its own KV, the newest position filled."""
    colour, size = COLOURS[request.lower()], 0.26
    axes.add_patch(Rectangle((0.35, y - size / 2), size, size, facecolor=colour, linewidth=0))
    axes.text(0.25, y, request, color=colour, ha="right", va="center", weight="bold")
    for start, end in ((0.65, 1.02), (2.28, 2.62)):
        axes.annotate("", (end, y), (start, y), arrowprops={"arrowstyle": "->", "color": colour, "shrinkA": 0})
    cell = 1.1 / attended
    for position in range(attended):
        box = (2.68 + position * cell, y - size / 2), cell, size
        newest = position == attended - 1
        axes.add_patch(Rectangle(*box, facecolor=colour, alpha=1 if newest else 0.25, linewidth=0))
        axes.add_patch(Rectangle(*box, fill=False, edgecolor=colour, linewidth=0.8))
    label(axes, 3.85, y, _megabytes(kv_bytes), request.lower(), va="center")


BARS = np.array([1, 8, 64, 128, 256])


@drawn_in_style
def bytes_by_batch(cached=1000, model=LLAMA_3_8B, assumptions=PLATE):
    """Bytes that one decode pass moves, weights and KV stacked, for batches from 1 to 256."""
    work = count(model, decode(cached, BARS), assumptions.accounting)
    weights, kv, total = work.weight_bytes / 1e9, work.kv_bytes / 1e9, work.bytes / 1e9
    figure, axes = canvas(3.1)
    places = np.arange(BARS.size)
    for bottom, height, role in ((0, weights, "weights"), (weights, kv, "kv")):
        axes.bar(places, height, 0.7, bottom, color=COLOURS[role], alpha=0.1, linewidth=0)
        axes.bar(places, height, 0.7, bottom, fill=False, edgecolor=COLOURS[role], linewidth=1)
    # a bar of which at least this much is seen has room for its words
    top = 20 * np.ceil(total.max() * 1.12 / 20)
    for place in places:
        label(axes, place, weights[place] / 2, f"weights\n{weights[place]:.1f}", "weights", ha="center", va="center")
        inside = kv[place] > top / 8
        words = f"KV\n{kv[place]:.1f}" if inside else f"KV {significant(kv[place], 2)}"
        y = weights[place] + kv[place] / 2 if inside else total[place] + top * 0.015
        label(axes, place, y, words, "kv", ha="center", va="center" if inside else "bottom")
        y = total[place] + top * (0.015 if inside else 0.075)
        axes.text(place, y, f"{total[place]:.1f} GB", ha="center", va="bottom", fontsize=9, weight="bold")
    axes.set(ylim=(0, top), xlabel="requests in the pass", ylabel="GB moved by one pass")
    axes.set_xticks(places, map(counted, BARS))
    axes.grid(axis="x", visible=False)
    return Picture(
        name="bytes-by-batch",
        figure=figure,
        alt=f"Bytes moved by one decode pass with {counted(cached)} cached positions per request, weights and KV "
        f"stacked. The weights are {weights[0]:.1f} GB at every batch; "
        + ", ".join(
            f"with {counted(b)} {'request' if b == 1 else 'requests'} the KV is {significant(k)} GB"
            for b, k in zip(BARS, kv, strict=True)
        )
        + ".",
        values={"requests": BARS, "weights, GB": weights, "KV, GB": kv, "total, GB": total},
        basis=f"{model.name}, {counted(cached)} cached positions per request. Counted: {assumptions.accounting}.",
    )


INTENSITY_CONTEXTS = np.array([128, 1000, 4000])
INTENSITY_BATCHES = np.unique(np.geomspace(1, 4096, 49).round().astype(int))


@drawn_in_style
def intensity(model=LLAMA_3_8B, accelerator=H100, assumptions=PLATE):
    """Intensity of a decode pass against its batch, for three contexts and for the linear layers alone."""
    work = count(model, decode(INTENSITY_CONTEXTS[:, None], INTENSITY_BATCHES), assumptions.accounting)
    linear = (work.flops - work.flops_by_part["attention"])[0] / work.weight_bytes[0]
    reached = assumptions.reached(accelerator)
    shares = f"{assumptions.compute_efficiency:.0%} and {assumptions.bandwidth_efficiency:.0%}"

    figure, axes = canvas(3.4)
    last, top = INTENSITY_BATCHES[-1], 4096
    for limit, low, high in (("memory", 0.7, reached.ridge), ("compute", reached.ridge, top)):
        axes.axhspan(low, high, color=COLOURS[limit], alpha=0.07, linewidth=0)
    label(axes, 1, top / 1.2, "compute-bound", "compute", va="top")
    label(axes, last, 0.85, "memory-bound", "memory", ha="right", va="bottom")
    axes.plot(INTENSITY_BATCHES, linear, color=COLOURS["weights"], linestyle="--", linewidth=1.2)
    seen = INTENSITY_BATCHES[linear < top / 2.5][-1]
    label(axes, seen / 1.2, linear[INTENSITY_BATCHES == seen][0], "linear layers alone", "weights", ha="right")
    for cached, line in zip(INTENSITY_CONTEXTS, work.intensity, strict=True):
        axes.plot(INTENSITY_BATCHES, line, color=COLOURS["kv"])
        label(axes, last * 1.25, line[-1], f"{counted(cached)}\ncached", "kv", va="center", linespacing=0.95)
    for ridge, words, shift, side in (
        (accelerator.ridge, "ridge of the datasheet", 1.05, "bottom"),
        (reached.ridge, f"at {shares}", 0.92, "top"),
    ):
        axes.axhline(ridge, color=COLOURS["ink"], linewidth=0.9, linestyle=(0, (4, 2)))
        label(axes, 1, ridge * shift, f"{words}: {significant(ridge)}", "ink", va=side)
    axes.set(xscale="log", yscale="log", xlim=(0.8, last * 1.1), ylim=(0.7, top))
    axes.set(xlabel="requests in the pass", ylabel="FLOPs per byte")
    log_ticks(axes.xaxis, 8 ** np.arange(5))
    log_ticks(axes.yaxis, 4 ** np.arange(6))
    lines = {counted(cached): line for cached, line in zip(INTENSITY_CONTEXTS, work.intensity, strict=True)}
    at_end = ", ".join(f"{significant(line[-1])} with {cached} cached positions" for cached, line in lines.items())
    stops = np.isin(INTENSITY_BATCHES, 2 ** np.arange(13))
    return Picture(
        name="decode-intensity",
        figure=figure,
        alt="FLOPs per byte of a decode pass against the requests in it, both on logarithmic scales. All lines begin "
        f"near {significant(work.intensity[0, 0])}. At {counted(last)} requests it is {significant(linear[-1])} for "
        f"the linear layers alone, {at_end}. The ridge of the datasheet is at {significant(accelerator.ridge)}, that "
        f"at {shares} of the peaks at {significant(reached.ridge)}.",
        values={"requests": INTENSITY_BATCHES[stops], "linear layers alone": linear[stops]}
        | {f"{cached} cached": line[stops] for cached, line in lines.items()},
        basis=basis(assumptions, model, accelerator),
    )


CONTEXTS = (128, 512, 1000, 4000, 16_000)
BATCHES = 2 ** np.arange(10)
SWEEP = np.unique(np.geomspace(1, BATCHES[-1], 46).round().astype(int))


@drawn_in_style
def passes(batch=64, cached=1000, model=LLAMA_3_8B, accelerator=H100, assumptions=PLATE):
    """Time of a decode pass and its tokens per second against the batch, `batch` marked on both."""
    everywhere = estimate(decode(np.array(CONTEXTS)[:, None], SWEEP), model, accelerator, assumptions)
    held = max_batch(model, accelerator, cached)
    every = estimate(decode(cached, np.arange(1, BATCHES[-1] + 1)), model, accelerator, assumptions)
    batches = with_turns(SWEEP, every.bound, held)
    sweep = estimate(decode(cached, batches), model, accelerator, assumptions)
    empty = estimate(decode(0, batches), model, accelerator, assumptions)
    chosen = estimate(decode(cached, batch), model, accelerator, assumptions)
    alone = estimate(decode(cached), model, accelerator, assumptions)

    figure, panels = canvas(4.4, rows=2, sharex=True)
    units = {
        "milliseconds per pass": lambda passed: passed.seconds * 1e3,
        "tokens per second": lambda passed: passed.tokens_per_second,
    }
    for axes, (unit, quantity) in zip(panels, units.items(), strict=True):
        room = 2.5 if axes is panels[0] else 1  # below the dashed line for its words
        low, high = decades([quantity(everywhere).min() / room, quantity(everywhere).max()])
        axes.set(xscale="log", yscale="log", xlim=(0.9, BATCHES[-1] * 1.12), ylim=(low, high), ylabel=unit)
        log_ticks(axes.xaxis, BATCHES[::3])
        log_ticks(axes.yaxis, 10.0 ** np.arange(round(np.log10(low)), round(np.log10(high)) + 1))
        name_limits(axes, batches, sweep.bound, words=axes is panels[0])
        axes.plot(batches, quantity(empty), color=COLOURS["weights"], linestyle="--", linewidth=1.2)
        by_limit(axes, batches, quantity(sweep), sweep.bound, batches <= held)
        marker(axes, batch, quantity(chosen), "ink")
    times, rates = panels
    label(times, 1, times.get_ylim()[1] / 1.3, f"{counted(cached)} cached positions each", "ink", va="top")
    label(times, 1, empty.seconds[0] * 1e3 / 1.5, "dashed: nothing cached", "weights", va="top")
    side = "left" if batch < 16 else "right"
    label(times, batch, chosen.seconds * 1e3 * 1.7, milliseconds(chosen.seconds), "ink", va="bottom", ha=side)
    pace = f"{rate(chosen.tokens_per_second)} per second"
    if batch < 16:
        label(rates, batch * 1.6, chosen.tokens_per_second * 0.9, pace, "ink", va="center")
    else:
        above = estimate(decode(0, batch), model, accelerator, assumptions).tokens_per_second  # the dashed line
        label(rates, batch, above * 1.3, pace, "ink", va="bottom", ha="right")
    if held < BATCHES[-1]:
        label(rates, BATCHES[-1], rates.get_ylim()[0] * 1.3, "dotted: does not fit", "muted", ha="right")
    rates.set_xlabel("requests in the pass")

    requests = f"{counted(batch)} {'request' if batch == 1 else 'requests'} with {counted(cached)} cached positions"
    reading = (
        f"{requests}{' each' if batch > 1 else ''}: {milliseconds(chosen.seconds)} per pass, "
        f"{rate(chosen.tokens_per_second)} tokens per second, {chosen.bound}-bound; KV is "
        f"{percent(chosen.work.kv_bytes / chosen.bytes)} of the bytes."
    )
    if batch > 1:
        reading += (
            f" Against one request the pass takes {significant(chosen.seconds / alone.seconds)} times as long and "
            f"yields {significant(chosen.tokens_per_second / alone.tokens_per_second)} times the tokens per second."
        )
    if not held:
        reading += f" {holds_none(model, accelerator)}"
    elif batch > held:
        reading += f" So many do not fit: memory holds {counted(held)}."
    stops = np.isin(batches, BATCHES)
    return Picture(
        name=f"decode-passes-{batch}-{cached}",
        figure=figure,
        alt="Milliseconds per decode pass, and below it tokens per second, against the requests in the pass, on "
        f"logarithmic scales. With {counted(cached)} cached positions a pass takes {milliseconds(sweep.seconds[0])} "
        f"with 1 request and {milliseconds(sweep.seconds[-1])} with {counted(batches[-1])}; tokens per second go from "
        f"{rate(sweep.tokens_per_second[0])} to {rate(sweep.tokens_per_second[-1])}. {reading}",
        reading=reading,
        values={
            "requests": batches[stops],
            "ms per pass": sweep.seconds[stops] * 1e3,
            "tokens per second": sweep.tokens_per_second[stops],
            "with nothing cached, ms per pass": empty.seconds[stops] * 1e3,
            "limit": sweep.bound[stops],
        },
        basis=basis(assumptions, model, accelerator),
    )


def workshop():
    """Time and throughput of a decode pass with sliders for its requests and for their context."""
    stops = {counted(batch): int(batch) for batch in BATCHES}
    return Workshop(
        name="decode-passes",
        figure=passes,
        sliders=(
            Slider("batch", "Requests in the pass", stops, start="64", live={counted(b): int(b) for b in SWEEP}),
            Slider("cached", "Cached positions of each", {counted(c): c for c in CONTEXTS}, start="1,000"),
        ),
        live=("model", "accelerator"),
    )


def _gigabytes(size):
    return f"{significant(size / 1e9, 4)} GB"


def _megabytes(size):
    return f"{significant(size / 1e6)} MB"

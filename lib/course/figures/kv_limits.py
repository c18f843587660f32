"""Page 08: where batching ends, by context."""

import math
from dataclasses import replace

import numpy as np

from costmodel import (
    H100,
    LLAMA_3_8B,
    PLATE,
    compute_bound_batch,
    critical_context,
    decode,
    decode_ceiling,
    estimate,
    kv_parity_batch,
    max_batch,
)

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
    with_turns,
)
from ..words import basis, count, holds_none, percent, rate, significant
from ..workshop import Slider, Workshop

CONTEXTS = np.array([128, 512, 1000, 4000, 16_000, 128_000])
POWERS = 2 ** np.arange(13)
LARGEST_BATCH = int(POWERS[-1])
EVERY = np.arange(1, LARGEST_BATCH + 1)
SWEEP = np.unique(np.geomspace(1, LARGEST_BATCH, 61).round().astype(int))

AS_IS = LLAMA_3_8B
MULTI_HEAD = replace(AS_IS, name=f"{AS_IS.name} with {AS_IS.heads} key/value heads", kv_heads=AS_IS.heads)
EIGHT_BIT_KV = replace(AS_IS, name=f"{AS_IS.name} with an 8-bit KV cache", kv_dtype="int8")

VARIANTS = {
    f"{AS_IS.kv_heads} heads, BF16": AS_IS,
    f"{AS_IS.heads} heads, BF16": MULTI_HEAD,
    f"{AS_IS.kv_heads} heads, 8-bit": EIGHT_BIT_KV,
}


def _axes(axes, rates):
    """Batch and throughput on logarithmic scales."""
    low, high = decades(rates)
    axes.set(xscale="log", yscale="log", xlim=(0.9, LARGEST_BATCH * 1.15), ylim=(low, high))
    axes.set(xlabel="requests in the pass", ylabel="tokens per second")
    log_ticks(axes.xaxis, POWERS[::3])
    log_ticks(axes.yaxis, 10.0 ** np.arange(round(math.log10(low)), round(math.log10(high)) + 1))


@drawn_in_style
def limits(cached=1000, model=LLAMA_3_8B, accelerator=H100, assumptions=PLATE):
    """Throughput of decode against the batch at one context, and the limits that it runs into."""
    parity = kv_parity_batch(model, cached, assumptions.accounting)
    compute = float(compute_bound_batch(model, accelerator, np.array([cached]), assumptions)[0])
    held = max_batch(model, accelerator, cached)
    ceiling = decode_ceiling(model, accelerator, cached, assumptions)
    batches = with_turns(SWEEP, estimate(decode(cached, EVERY), model, accelerator, assumptions).bound, held)
    sweep = estimate(decode(cached, batches), model, accelerator, assumptions)
    # one axis for all variants: as high as the shortest context, as low as the longest with the largest cache
    largest = replace(model, kv_heads=model.heads, kv_dtype="bf16")
    extremes = [
        estimate(decode(int(context), SWEEP), variant, accelerator, assumptions).tokens_per_second
        for context, variant in ((CONTEXTS[0], model), (CONTEXTS[-1], largest))
    ]

    figure, axes = canvas(3.7)
    _axes(axes, extremes)
    name_limits(axes, batches, sweep.bound)
    axes.axhline(ceiling.tokens_per_second, color=COLOURS[ceiling.bound], linewidth=1.2, linestyle="--")
    words = f"ceiling, {ceiling.bound}: {rate(ceiling.tokens_per_second)} per second"
    label(axes, 1, ceiling.tokens_per_second * 1.1, words, ceiling.bound, va="bottom")
    by_limit(axes, batches, sweep.tokens_per_second, sweep.bound, batches <= held)
    marks = [(parity, f"KV = weights: {significant(parity)}", "kv"), (held, f"memory full: {count(held)}", "ink")]
    if math.isfinite(compute):
        marks.append((compute, f"compute-bound from {count(math.ceil(compute))}", "compute"))
    marks = sorted(mark for mark in marks if 1 <= mark[0] <= LARGEST_BATCH)
    # The words stand where there is room, on the left or on the right of all marks, and below every mark they pass.
    on_the_left = bool(marks) and marks[-1][0] > 200
    low, high = axes.get_ylim()
    for row, (batch, words, role) in enumerate(reversed(marks) if on_the_left else marks):
        y = low * (high / low) ** (0.03 + 0.07 * row)
        height = estimate(decode(cached, round(batch)), model, accelerator, assumptions).tokens_per_second
        axes.plot([batch, batch], [y, height], color=COLOURS[role], linewidth=1, linestyle=":")
        marker(axes, batch, height, role)
        label(axes, batch * (0.9 if on_the_left else 1.1), y, words, role, ha="right" if on_the_left else "left")

    reading = f"{count(cached)} cached positions: "
    reading += (
        f"KV equals the weights at a batch of {significant(parity)}; "
        if parity >= 1
        else f"the KV of one request is already {significant(1 / parity)} times the weights; "
    )
    reading += f"compute-bound from {count(math.ceil(compute))}" if math.isfinite(compute) else "never compute-bound"
    if held:
        full = estimate(decode(cached, held), model, accelerator, assumptions).tokens_per_second
        reading += (
            f". A full memory, {count(held)} {'request' if held == 1 else 'requests'}, gives {rate(full)} tokens per "
            f"second, {percent(full / ceiling.tokens_per_second, 3)} of the ceiling."
        )
    else:
        reading += f". {holds_none(model, accelerator)}"
    stops = np.isin(batches, POWERS)
    return Picture(
        name=f"decode-limits-{cached}",
        figure=figure,
        alt="Tokens per second of decode against the requests in a pass, on logarithmic scales. It rises from "
        f"{rate(sweep.tokens_per_second[0])} with 1 request towards a ceiling of {rate(ceiling.tokens_per_second)}, "
        f"set by {ceiling.bound}. {reading}",
        reading=reading,
        values={
            "requests": batches[stops],
            "tokens per second": sweep.tokens_per_second[stops],
            "limit": sweep.bound[stops],
            "in memory": np.where(batches[stops] <= held, "fits", "does not fit"),
        },
        basis=f"{basis(assumptions, model, accelerator)} A tenth of the memory is kept free.",
    )


def workshop():
    """The limits at one context, with sliders for the context and for what is cached."""
    return Workshop(
        name="decode-limits",
        figure=limits,
        sliders=(
            Slider(
                "cached",
                "Cached positions of each",
                {count(c): c for c in (128, 256, 512, *(1000 * 2**power for power in range(8)))},
                start="1,000",
            ),
            Slider(
                "model",
                f"KV of {AS_IS.name}",
                VARIANTS,
                start=next(iter(VARIANTS)),
            ),
        ),
        live=("accelerator",),
    )


@drawn_in_style
def throughput(model=LLAMA_3_8B, accelerator=H100, assumptions=PLATE):
    """Throughput of decode against the batch for six contexts, with ceilings and what memory holds."""
    held = max_batch(model, accelerator, CONTEXTS)
    every = estimate(decode(CONTEXTS[:, None], EVERY), model, accelerator, assumptions)
    batches = with_turns(SWEEP, every.bound, held)
    sweep = estimate(decode(CONTEXTS[:, None], batches), model, accelerator, assumptions)
    ceilings = decode_ceiling(model, accelerator, CONTEXTS, assumptions)
    parity = kv_parity_batch(model, CONTEXTS, assumptions.accounting)

    figure, axes = canvas(4.5)
    _axes(axes, sweep.tokens_per_second)
    low, high = axes.get_ylim()
    gap, height = (high / low) ** 0.055, 0
    for i in reversed(range(CONTEXTS.size)):  # from the lowest curve up, so that labels make room upwards
        ceiling, bound = ceilings.tokens_per_second[i], str(ceilings.bound[i])
        axes.plot([LARGEST_BATCH / 3, LARGEST_BATCH * 1.15], [ceiling] * 2, "--", color=COLOURS[bound], linewidth=0.9)
        by_limit(axes, batches, sweep.tokens_per_second[i], sweep.bound[i], batches <= held[i], linewidth=1.4)
        height = max(ceiling, height * gap)
        words = f"{count(CONTEXTS[i])}: {rate(ceiling)}"
        label(axes, LARGEST_BATCH * 1.3, height, words, bound, va="center")
    axes.text(1.03, 1.0, "cached:\nceiling", transform=axes.transAxes, fontsize=9, va="bottom")
    decided = parity >= compute_bound_batch(model, accelerator, CONTEXTS, assumptions)  # by arithmetic, before the KV
    for marks, shape, role, words in (
        (np.where(decided, 0, parity), "D", "kv", "KV = weights"),
        (held, "o", "ink", "memory full"),
    ):
        seen = (marks >= 1) & (marks <= LARGEST_BATCH)
        if not seen.any():
            continue
        at = estimate(decode(CONTEXTS[seen], marks[seen].round().astype(int)), model, accelerator, assumptions)
        style = {"color": COLOURS[role], "markersize": 5.5, "markeredgecolor": COLOURS["paper"], "linestyle": "none"}
        axes.plot(marks[seen], at.tokens_per_second, marker=shape, **style)
        x, y = marks[seen][-1], at.tokens_per_second[-1]
        label(axes, x * 1.15, y / 1.12, words, role, va="top")
    stops = np.isin(batches, POWERS)
    return Picture(
        name="decode-throughput",
        figure=figure,
        alt="Tokens per second of decode against the requests in a pass, on logarithmic scales, by cached positions. "
        + "; ".join(
            f"{count(context)}: ceiling {rate(ceiling)}, set by {bound}, KV equals the weights at {count(equal)} "
            f"requests, memory holds {count(full)}"
            for context, ceiling, bound, equal, full in zip(
                CONTEXTS, ceilings.tokens_per_second, ceilings.bound, parity, held, strict=True
            )
        )
        + ".",
        values={"requests": batches[stops]}
        | {f"{count(c)} cached": sweep.tokens_per_second[i, stops] for i, c in enumerate(CONTEXTS)},
        basis=f"{basis(assumptions, model, accelerator)} A tenth of the memory is kept free.",
    )


POINTS_PER_OCTAVE = 15
MAP_CONTEXTS = np.unique(np.geomspace(64, 2**17, 11 * POINTS_PER_OCTAVE + 1).round().astype(int))


@drawn_in_style
def limit_map(cached=1000, model=LLAMA_3_8B, accelerator=H100, assumptions=PLATE):
    """What limits decode at each context and batch, between the boundaries that the closed forms give."""
    boundaries = (
        kv_parity_batch(model, MAP_CONTEXTS, assumptions.accounting),
        compute_bound_batch(model, accelerator, MAP_CONTEXTS, assumptions),
        max_batch(model, accelerator, MAP_CONTEXTS),
    )
    parity, compute, held = (np.clip(boundary, 1, LARGEST_BATCH) for boundary in boundaries)
    weights = np.minimum(np.minimum(parity, compute), held)
    kv = np.minimum(np.maximum(compute, weights), held)
    edges = (np.ones(weights.shape), weights, kv, held, np.full(weights.shape, LARGEST_BATCH))
    names = {"memory: weights": "weights", "memory: KV": "kv", "compute": "compute", "does not fit": "muted"}

    figure, axes = canvas(3.7)
    axes.set(xscale="log", yscale="log", xlim=(MAP_CONTEXTS[0], MAP_CONTEXTS[-1]), ylim=(1, LARGEST_BATCH))
    axes.set(xlabel="cached positions of each request", ylabel="requests in the pass")
    log_ticks(axes.xaxis, 2 ** np.arange(7, 18, 2))
    log_ticks(axes.yaxis, POWERS[::3])
    axes.grid(visible=False)
    for (words, role), lower, upper in zip(names.items(), edges, edges[1:], strict=False):
        axes.fill_between(MAP_CONTEXTS, lower, upper, color=COLOURS[role], alpha=0.22, linewidth=0)
        _name_region(axes, lower, upper, words, role)
    for edge in edges[1:-1]:
        axes.plot(MAP_CONTEXTS, np.where(edge < LARGEST_BATCH, edge, np.nan), color=COLOURS["ink"], linewidth=0.9)
    critical = critical_context(model, accelerator, assumptions)
    if critical is not None and MAP_CONTEXTS[0] < critical < MAP_CONTEXTS[-1]:
        bottom = np.interp(critical, MAP_CONTEXTS, weights)  # below it nobody looks for arithmetic
        axes.plot([critical] * 2, [bottom, LARGEST_BATCH], "--", color=COLOURS["compute"], linewidth=1)
        words = f"from {count(critical)} on no batch\nis compute-bound"
        label(axes, critical * 1.1, LARGEST_BATCH / 1.15, words, "compute", va="top")
    marks = kv_parity_batch(model, cached, assumptions.accounting), max_batch(model, accelerator, cached)
    for batch, role, side in zip(marks, ("kv", "ink"), (("right", "top"), ("left", "bottom")), strict=True):
        if 1 <= batch <= LARGEST_BATCH:
            marker(axes, cached, batch, role)
            away = 1.15 if side[0] == "left" else 1 / 1.15
            label(axes, cached * away, batch * away, count(batch), "ink", ha=side[0], va=side[1])

    short = "short" if np.isfinite(boundaries[1]).any() else "no"
    stops = np.isin(MAP_CONTEXTS, 2 ** np.arange(6, 18))
    headings = ("KV equals weights at", "compute-bound from", "memory holds")
    values = {"cached": MAP_CONTEXTS[stops]}
    for heading, boundary in zip(headings, boundaries, strict=True):
        values[heading] = [count(b) if math.isfinite(b) else "never" for b in np.ceil(boundary[stops])]
    return Picture(
        name="limit-map",
        figure=figure,
        alt="A map of what limits decode, by cached positions and requests, both on logarithmic scales. With few "
        "requests it is the reading of weights. More of them reach the line where the KV equals the weights, then that "
        f"where memory is full: at {count(cached)} cached positions {count(marks[0])} and {count(marks[1])} requests. "
        f"Arithmetic limits it at {short} contexts{' and large batches' if short == 'short' else ''}.",
        values=values,
        basis=f"{basis(assumptions, model, accelerator)} A tenth of the memory is kept free.",
    )


def _name_region(axes, lower, upper, words, role):
    """`words` where a region has most room for them: level, else along the region, else not at all."""
    x, low, high = np.log(MAP_CONTEXTS), np.log(lower), np.log(upper)
    reach = round(len(words) * 0.15 * POINTS_PER_OCTAVE)  # half of the width of the words
    centres = np.arange(reach, x.size - reach)
    along = np.gradient((low + high) / 2, x)[centres]
    for slopes in (np.zeros(centres.size), along):
        boxes = []  # lower and upper side of the box at each centre
        for centre, slope in zip(centres, slopes, strict=True):
            window = slice(centre - reach, centre + reach + 1)
            tilt = slope * (x[window] - x[centre])
            boxes.append(((low[window] - tilt).max(), (high[window] - tilt).min()))
        room = np.diff(boxes)[:, 0]
        if room.max() > 0.6:
            roomy = np.flatnonzero(room > 0.98 * room.max())
            best = roomy[roomy.size * 2 // 3]
            position = np.exp([x[centres[best]], np.mean(boxes[best])])
            angle = math.degrees(math.atan(slopes[best] * position[1] / position[0]))
            style = {"fontsize": 9, "weight": "bold", "ha": "center", "va": "center_baseline"}
            style |= {"rotation": angle, "rotation_mode": "anchor", "transform_rotates_text": True}
            axes.text(*position, words, color=COLOURS[role], **style)
            return

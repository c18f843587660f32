"""Page 09: the two latencies of a request, what a batch trades for them, and what a long prompt does to others."""

import math

import numpy as np
from matplotlib.patches import Rectangle

from costmodel import (
    H100,
    LLAMA_3_8B,
    PLATE,
    decode,
    decode_ceiling,
    estimate,
    generation,
    max_batch,
    prefill,
)

from ..output import Picture
from ..style import COLOURS, by_limit, canvas, drawn_in_style, label, marker
from ..words import basis, count, duration, milliseconds, percent, rate, tick
from ..workshop import Slider, Workshop

MOST_TICKS = 64


@drawn_in_style
def one_request(prompt=1024, output=256, assumptions=PLATE, model=LLAMA_3_8B, accelerator=H100):
    """One request on a time axis, whole and magnified around its first token."""
    request = generation(prompt, output, model, accelerator, assumptions)
    first, pace = request.time_to_first_token_seconds, request.time_per_output_token_seconds or 0
    written = np.concatenate(([first], first + request.decode_seconds.cumsum()))
    end = round_up(written[-1])
    width = min(end, round_up(12 * pace)) if pace else end
    start = min(max(0, math.floor(10 * first / width) - 4) * width / 10, end - width)

    figure, (whole, near) = canvas(3.5, rows=2)
    bounds = [estimate(each, model, accelerator, assumptions).bound for each in (prefill(prompt), decode(prompt))]
    every = _request(whole, written, bounds, 0, end)
    seen = request.decode_seconds[(written[1:] > start) & (written[:-1] < start + width)]
    _request(near, written, bounds, start, start + width, f", {milliseconds(seen.mean())} each" if pace else "")
    whole.add_patch(Rectangle((start, -0.13), width, 1.26, fill=False, edgecolor=COLOURS["ink"], clip_on=False))
    label(whole, 0, 1.35, f"the whole request: {duration(written[-1])}", "ink", va="bottom")
    label(
        whole,
        end,
        1.35,
        f"a tick: {'a token' if every == 1 else f'{every:,} tokens'}",
        "muted",
        ha="right",
        va="bottom",
    )
    near.set_xlabel(f"{near.get_xlabel()}: the outlined part, magnified")
    side = ("left", "center", "right")[int(np.searchsorted((0.25, 0.75), (first - start) / width))]
    near.plot([first, first], [1, 1.35], color=COLOURS["ink"], linewidth=0.8)
    label(near, first, 1.35, f"first token: {duration(first)}", bounds[0], ha=side, va="bottom")
    reading = f"Prompt of {count(prompt)} {'token' if prompt == 1 else 'tokens'}, answer of {count(output)}: "
    if pace:
        reading += (
            f"the first token after {duration(first)}, each further one after {milliseconds(pace)}"
            f"{' on average' if output > 2 else ''}, the last after {duration(written[-1])}. "
            f"Prefill takes {percent(first / written[-1])} of the time."
        )
    else:
        reading += f"its token after {duration(first)}, all of it prefill."
    numbers = np.unique(np.append(2 ** np.arange(int(output).bit_length()), output))
    return Picture(
        name=f"one-request-{prompt}-{output}",
        figure=figure,
        alt=f"One request as a bar along a time axis, first prefill, then one decode after another. {reading}",
        reading=reading,
        values={"output token": numbers, "written after, ms": written[numbers - 1] * 1e3},
        basis=basis(assumptions, model, accelerator),
    )


def _request(axes, written, bounds, left, right, detail=""):
    """Prefill and decodes from `left` to `right` seconds, in the colours of what limits them.

    A tick stands at every so many tokens: how many it returns.
    """
    for role, name, start, end in (
        (bounds[0], "prefill", 0, written[0]),
        (bounds[1], f"decode{detail}", written[0], written[-1]),
    ):
        start, end = max(start, left), min(end, right)
        if end > start:
            axes.broken_barh([(start, end - start)], (0, 1), facecolor=COLOURS[role], alpha=0.3)
        if end - start > 0.022 * len(name) * (right - left):
            label(axes, (start + end) / 2, 0.46, name, role, ha="center", va="center", bbox=_PATCH)
    pace = (written[-1] - written[0]) / max(len(written) - 1, 1)
    every = 2 ** max(0, math.ceil(math.log2((right - left) / MOST_TICKS / pace))) if pace else 1
    ticks = written[::every]
    _ticks(axes, ticks[(ticks >= left) & (ticks <= right)], 0, 1)
    unit, scale = ("seconds", 1) if right - left >= 1 else ("milliseconds", 1e3)
    axes.set(xlim=(left, right), ylim=(-0.2, 2.1), xlabel=unit)
    axes.xaxis.set_major_formatter(lambda value, _: tick(value * scale))
    _no_y_axis(axes)
    return every


# letters over ticks stand on a patch of the page's colour
_PATCH = {"facecolor": COLOURS["paper"], "edgecolor": "none", "pad": 1.5}


def _ticks(axes, places, bottom, top):
    """Vertical strokes as one path: small in the page, whatever their number."""
    x = np.repeat(places, 3)
    y = np.tile([bottom, top, np.nan], len(places))
    axes.plot(x, y, color=COLOURS["ink"], linewidth=0.8, solid_capstyle="butt")


def _no_y_axis(axes):
    axes.yaxis.set_visible(False)
    axes.spines["left"].set_visible(False)
    axes.grid(False)


def round_up(value):
    """The next round number: limits of an axis which stay while the curve moves."""
    step = 10.0 ** math.floor(math.log10(value))
    return next(round(times * step, 12) for times in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if times * step >= value)


def workshop():
    """One request with sliders for its two lengths."""
    prompts, outputs = (4**power for power in range(3, 9)), (4**power for power in range(2, 7))
    finer_prompts, finer_outputs = (2**power for power in range(17)), (2**power for power in range(13))
    return Workshop(
        name="one-request",
        figure=one_request,
        sliders=(
            Slider("prompt", "Tokens in the prompt", _stops(prompts), start="1,024", live=_stops(finer_prompts)),
            Slider("output", "Tokens in the answer", _stops(outputs), start="256", live=_stops(finer_outputs)),
        ),
        live=("compute_efficiency", "bandwidth_efficiency", "overhead_seconds", "model", "accelerator"),
    )


def _stops(values):
    return {count(value): value for value in values}


@drawn_in_style
def growing_cache(prompt=1024, output=2**15, batches=(1, 8), assumptions=PLATE, model=LLAMA_3_8B, accelerator=H100):
    """The time of each decode while the answer grows, stacked by what takes it."""
    token = np.linspace(1, output - 1, 33).astype(int)
    runs = [estimate(decode(prompt + token - 1, batch), model, accelerator, assumptions) for batch in batches]
    weights = assumptions.overhead_seconds + runs[0].work.weight_bytes / assumptions.reached(accelerator).bandwidth
    top = round_up(1.1e3 * max(run.seconds.max() for run in runs))

    figure, panels = canvas(2.8, columns=len(batches), sharey=True)
    for axes, batch, run in zip(panels, batches, runs, strict=True):
        fixed = np.full(token.shape, assumptions.overhead_seconds)
        for role, upper in (("overhead", fixed), ("weights", weights), ("kv", run.memory_seconds + fixed)):
            lower = {"overhead": 0, "weights": fixed, "kv": weights}[role]
            axes.fill_between(token, lower * 1e3, upper * 1e3, color=COLOURS[role], alpha=0.3, linewidth=0)
        axes.plot(token, run.seconds * 1e3, color=COLOURS["ink"], linewidth=1.2)
        for index, at, aside in (
            (0, (3, -3), {"ha": "left", "va": "top"}),
            (-1, (0, 3), {"ha": "right", "va": "bottom"}),
        ):
            end = (token[index], run.seconds[index] * 1e3)
            _note(axes, milliseconds(run.seconds[index]), end, at, "ink", **aside)
        axes.set(xlim=(0, output), ylim=(0, top), xticks=[0, output // 2, output], xlabel="tokens written")
        axes.set_xticklabels(["0", count(output // 2), count(output)])
        axes.get_xticklabels()[-1].set_ha("right")
        axes.set_title(f"{batch} request{'s' if batch > 1 else ''}")
    panels[0].set_ylabel("ms per decode")
    panels[0].yaxis.set_major_formatter(tick)
    label(panels[0], output / 2, weights[0] / 2 * 1e3, "weights", "weights", ha="center", va="center")
    kv = (weights + runs[-1].seconds)[-7] / 2 * 1e3
    label(panels[-1], token[-7], kv, "KV", "kv", ha="center", va="center")
    ends = [f"from {milliseconds(run.seconds[0])} to {milliseconds(run.seconds[-1])}" for run in runs]
    return Picture(
        name="growing-cache",
        figure=figure,
        alt=f"Milliseconds per decode while an answer of {count(output)} tokens grows on a prompt of {count(prompt)}, "
        "stacked: overhead and weights stay, the KV reads grow. It goes "
        f"{' and '.join(f'{end} with batch {batch}' for end, batch in zip(ends, batches, strict=True))}.",
        values={"decode": token}
        | {f"batch {batch}, ms": run.seconds * 1e3 for batch, run in zip(batches, runs, strict=True)},
        basis=basis(assumptions, model, accelerator),
    )


@drawn_in_style
def frontier(contexts=(1000, 4000), assumptions=PLATE, model=LLAMA_3_8B, accelerator=H100):
    """Tokens per second of all requests against the time between two tokens of each, along the batch."""
    figure, axes = canvas(3.5)
    rows, sentences, slowest = [], [], 0
    for place, context in enumerate(contexts):
        largest = max_batch(model, accelerator, context)
        if not largest:
            sentences.append(f"With {count(context)} cached not one request fits.")
            continue
        steps = estimate(decode(context, np.arange(1, largest + 1)), model, accelerator, assumptions)
        x, y = steps.seconds * 1e3, steps.tokens_per_second
        slowest = max(slowest, x[-1])
        by_limit(axes, x, y, steps.bound, fits=np.full(largest, True), linewidth=1 if place else 2)
        middle = largest // 2
        at, aside = ((4, -6), {"ha": "left", "va": "top"}) if place else ((-8, 2), {"ha": "right", "va": "bottom"})
        _note(axes, f"{count(context)} cached", (x[middle], y[middle]), at, str(steps.bound[middle]), **aside)
        for batch in [batch for batch in (1, 8, 64, 256) if batch < 0.8 * largest] + [largest]:
            rows.append((context, batch, x[batch - 1], y[batch - 1], str(steps.bound[batch - 1])))
            if place == 0 or batch == largest:
                _stop(axes, x[batch - 1], y[batch - 1], batch, full=batch == largest)
        sentences.append(
            f"With {count(context)} cached it rises from {rate(y[0])} tokens per second at {milliseconds(x[0] / 1e3)} "
            f"per token, batch 1, to {rate(y[-1])} at {milliseconds(x[-1] / 1e3)}, batch {count(largest)}, where the "
            "memory is full."
        )
    _frame(axes, slowest, contexts[0], assumptions, model, accelerator)
    headings = ("cached", "batch", "ms per output token", "tokens per second", "limit")
    return Picture(
        name="latency-frontier",
        figure=figure,
        alt="Tokens per second of all requests against milliseconds per output token of each, as the batch grows. "
        + " ".join(sentences),
        values={heading: [row[column] for row in rows] for column, heading in enumerate(headings)},
        basis=basis(assumptions, model, accelerator),
    )


def _stop(axes, x, y, batch, full):
    """A batch marked on its curve."""
    marker(axes, x, y, "ink" if full else "memory")
    text, at, aside = f"{'batch ' if batch == 1 else ''}{batch:,}", (7, -4), {"ha": "left", "va": "top"}
    if full:
        text, at, aside = f"{text}: memory full", (6, 7), {"ha": "center", "va": "bottom"}
    elif batch < 64:  # left of the curve's foot, where it is steep
        at, aside = (-7, -1), {"ha": "right", "va": "bottom"}
    _note(axes, text, (x, y), at, "ink", **aside)


def _note(axes, text, point, at, role, **aside):
    """`text` beside a point, `at` points of type away from it."""
    axes.annotate(text, point, xytext=at, textcoords="offset points", fontsize=9, color=COLOURS[role], **aside)


def _frame(axes, slowest, context, assumptions, model, accelerator):
    """What the curves run between: the read of the weights on the left, the ceiling above."""
    ceiling = decode_ceiling(model, accelerator, context, assumptions)
    fastest = floor_seconds(assumptions, model, accelerator) * 1e3
    right, top = round_up(1.1 * max(slowest, fastest)), round_up(1.08 * ceiling.tokens_per_second)
    axes.set(xlim=(0, right), ylim=(0, top))
    axes.set(xlabel="milliseconds per output token", ylabel="tokens per second, all requests")
    axes.xaxis.set_major_formatter(tick)
    axes.yaxis.set_major_formatter(tick)
    axes.axhline(ceiling.tokens_per_second, color=COLOURS[ceiling.bound], linewidth=1, linestyle="--")
    text = f"ceiling at {count(context)} cached: {rate(ceiling.tokens_per_second)}"
    label(axes, right, ceiling.tokens_per_second, text, ceiling.bound, ha="right", va="bottom")
    axes.axvspan(0, fastest, color=COLOURS["weights"], alpha=0.12, linewidth=0)
    text = f"weights + overhead: {milliseconds(fastest / 1e3)}"
    label(axes, fastest / 2, 0.46 * top, text, "weights", rotation=90, ha="center", va="center")


def floor_seconds(assumptions, model, accelerator):
    """Seconds of a pass that reads the weights and nothing else: what no batch and no context can go below."""
    work = estimate(decode(0), model, accelerator, assumptions).work
    return work.weight_bytes / assumptions.reached(accelerator).bandwidth + assumptions.overhead_seconds


def chunked(prompt, chunk, batch, cached, assumptions=PLATE, model=LLAMA_3_8B, accelerator=H100):
    """The passes that bring in a prompt in chunks while `batch` other requests decode in each of them.

    `chunk` divides `prompt`. Each pass adds a token to the others, so that their caches grow as well.
    """
    done = np.arange(0, prompt, chunk)
    neighbours = decode(cached + np.arange(len(done)), batch)
    return estimate(neighbours + prefill(chunk, cached=done), model, accelerator, assumptions)


@drawn_in_style
def neighbour(
    prompt=8192,
    chunks=(8192, 2048, 512, 128),
    batch=32,
    cached=1000,
    assumptions=PLATE,
    model=LLAMA_3_8B,
    accelerator=H100,
):
    """The tokens of requests that decode while a long prompt comes in, in one piece and in chunks."""
    alone = estimate(decode(cached, batch), model, accelerator, assumptions)
    rows = {chunk: chunked(prompt, chunk, batch, cached, assumptions, model, accelerator) for chunk in chunks}
    right = round_up(1.12e3 * max(passes.seconds.sum() for passes in rows.values()))
    figure, axes = canvas(3.9)
    everything = np.arange(1, int(right / alone.seconds / 1e3) + 1) * alone.seconds * 1e3
    _row(axes, 0, everything, [alone.bound] * len(everything), f"no prompt: {milliseconds(alone.seconds)} apart")
    label(axes, right, 1.05, "a tick: a token for each", "muted", ha="right", va="bottom")
    label(axes, right / 2, 0.46, f"{alone.bound}-bound", alone.bound, ha="center", va="center", bbox=_PATCH)
    named = {alone.bound}
    for place, (chunk, passes) in enumerate(rows.items(), 1):
        ends = passes.seconds.cumsum() * 1e3
        piece = "whole prompt" if chunk == prompt else f"chunks of {count(chunk)}"
        apart = f"{piece}: up to {milliseconds(passes.seconds.max())} apart"
        _row(axes, -2 * place, ends, passes.bound, apart)
        if set(passes.bound) - named:  # what a colour says, where it is first seen
            limit, middle = passes.bound[-1], ends[-1] / 2
            label(axes, middle, -2 * place + 0.46, f"{limit}-bound", limit, ha="center", va="center", bbox=_PATCH)
            named.update(passes.bound)
        label(axes, ends[-1] + 0.01 * right, -2 * place + 0.5, milliseconds(ends[-1] / 1e3), "ink", va="center")
    axes.set(xlim=(0, right), ylim=(-2 * len(rows) - 0.3, 1.9), xlabel="milliseconds since the prompt came in")
    axes.xaxis.set_major_formatter(tick)
    _no_y_axis(axes)
    sentences = (
        f"in {'one piece' if chunk == prompt else f'chunks of {count(chunk)}'} up to "
        f"{milliseconds(passes.seconds.max())}, the prompt being read after {milliseconds(passes.seconds.sum())}"
        for chunk, passes in rows.items()
    )
    return Picture(
        name="neighbour",
        figure=figure,
        alt=f"Time between two tokens of {batch} requests, {count(cached)} cached each, while a prompt of "
        f"{count(prompt)} tokens comes in. Alone: {milliseconds(alone.seconds)}; {'; '.join(sentences)}.",
        values={
            "tokens in a chunk": list(rows),
            "passes": [len(passes.seconds) for passes in rows.values()],
            "longest wait for a token, ms": [passes.seconds.max() * 1e3 for passes in rows.values()],
            "prompt read after, ms": [passes.seconds.sum() * 1e3 for passes in rows.values()],
            "limit of the last pass": [str(passes.bound[-1]) for passes in rows.values()],
        },
        basis=basis(assumptions, model, accelerator),
    )


def _row(axes, bottom, ends, bounds, text):
    """Passes one after another in the colours of their limits, a tick at each end: there each request has a token."""
    starts = np.concatenate(([0], ends[:-1]))
    for limit in ("compute", "memory"):
        spans = [(start, end - start) for start, end, bound in zip(starts, ends, bounds, strict=True) if bound == limit]
        if spans:
            axes.broken_barh(_joined(spans), (bottom, 1), facecolor=COLOURS[limit], alpha=0.3)
    _ticks(axes, ends, bottom, bottom + 1)
    label(axes, 0, bottom + 1.05, text, bounds[-1], va="bottom")


def _joined(spans):
    """Spans of which each begins where another ends, as one: no seams between them."""
    joined = [spans[0]]
    for start, width in spans[1:]:
        last, so_far = joined[-1]
        if math.isclose(start, last + so_far, rel_tol=1e-9):
            joined[-1] = (last, so_far + width)
        else:
            joined.append((start, width))
    return joined

"""Page 06: the time per token of one forward pass against the number of tokens in it."""

import math

import numpy as np

from costmodel import DATASHEET, EXACT, H100, LLAMA_3_8B, PLATE, decode, estimate, prefill

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
from ..words import basis, count, milliseconds, significant
from ..workshop import Slider, Workshop

LARGEST_PASS = 2**17
SWEEP = np.unique(np.geomspace(1, LARGEST_PASS, 69).round().astype(int))


@drawn_in_style
def curve(tokens=1024, assumptions=PLATE, model=LLAMA_3_8B, accelerator=H100, cached=1000):
    """One pass over a prompt of `tokens` tokens, marked on the curve of all passes from 1 to 131,072 tokens.

    Beside it stands a decode step: one new token for one request that has `cached` positions stored.
    """
    every = estimate(prefill(np.arange(1, LARGEST_PASS + 1)), model, accelerator, assumptions)
    sweep = estimate(prefill(with_turns(SWEEP, every.bound)), model, accelerator, assumptions)
    chosen = estimate(prefill(tokens), model, accelerator, assumptions)
    step = estimate(decode(cached), model, accelerator, assumptions)

    figure, axes = canvas(3.3)
    _limits(axes, sweep)
    _curve(axes, sweep)
    step_ms, chosen_ms = step.seconds_per_token * 1e3, chosen.seconds_per_token * 1e3
    marker(axes, 1, step_ms, "memory")
    label(
        axes, 1.7, step_ms * 1.1, f"decode, {count(cached)} cached: {milliseconds(step.seconds)}", "memory", va="center"
    )
    axes.plot([tokens, tokens], [axes.get_ylim()[0], chosen_ms], color=COLOURS["ink"], linewidth=0.8, linestyle=":")
    marker(axes, tokens, chosen_ms, "ink")
    if tokens > 4:  # further left the two labels would meet, and the reading says it
        left = tokens < 2**13
        span = (1.5 * tokens, 24 * tokens) if left else (tokens / 16, tokens)
        below = sweep.seconds_per_token[(sweep.tokens >= span[0]) & (sweep.tokens <= span[1])].max() * 1e3
        aside = {"x": span[0], "ha": "left"} if left else {"x": span[1], "ha": "right"}
        y = 1.35 * max(chosen_ms, below)  # above all of the curve that it stands over
        label(axes, y=y, text=milliseconds(chosen.seconds_per_token), role="ink", va="bottom", **aside)

    ratio = step.seconds_per_token / chosen.seconds_per_token
    reading = (
        f"{count(tokens)} {'token' if tokens == 1 else 'tokens'} in one pass: {milliseconds(chosen.seconds)}, "
        f"{milliseconds(chosen.seconds_per_token)} per token, {chosen.bound}-bound. A decode step takes "
        f"{milliseconds(step.seconds)} for its one token, {significant(ratio)} times as long per token."
    )
    return Picture(
        name=f"time-per-token-{tokens}",
        figure=figure,
        alt=f"Time per token of one forward pass against the tokens in it, both on logarithmic scales. {_alt(sweep)} "
        f"{reading}",
        reading=reading,
        values=_values(sweep),
        basis=basis(assumptions, model, accelerator),
    )


def _limits(axes, sweep):
    low, high = decades([sweep.seconds_per_token.min() * 1e3, sweep.seconds_per_token.max() * 1.6e3])
    axes.set(xscale="log", yscale="log", xlim=(0.8, LARGEST_PASS * 1.25), ylim=(low, high))
    log_ticks(axes.xaxis, [2**power for power in (0, 3, 6, 9, 12, 15)])
    log_ticks(axes.yaxis, 10.0 ** np.arange(math.log10(low), math.log10(high) + 0.5))
    axes.set(xlabel="tokens in the pass", ylabel="milliseconds per token")


def _curve(axes, sweep):
    """The curve in the colour of what limits, and the two limits on their own."""
    for limit, seconds in (("compute", sweep.compute_seconds), ("memory", sweep.memory_seconds)):
        axes.plot(
            sweep.tokens, seconds / sweep.tokens * 1e3, color=COLOURS[limit], linewidth=1, linestyle="--", alpha=0.7
        )
    by_limit(axes, sweep.tokens, sweep.seconds_per_token * 1e3, sweep.bound, np.full(sweep.tokens.shape, True))
    name_limits(axes, sweep.tokens, sweep.bound)


def _alt(sweep):
    last = sweep.seconds_per_token[-1]
    least = int(np.argmin(sweep.seconds_per_token))
    return (
        f"It falls from {milliseconds(sweep.seconds_per_token[0])} at 1 token to "
        f"{milliseconds(sweep.seconds_per_token[least])} at {count(sweep.tokens[least])} tokens and is "
        f"{milliseconds(last)} at {count(sweep.tokens[-1])}."
    )


def _values(sweep):
    stops = np.isin(sweep.tokens, 2 ** np.arange(18))
    columns = {
        "tokens": sweep.tokens,
        "ms per pass": sweep.seconds * 1e3,
        "ms per token": sweep.seconds_per_token * 1e3,
    }
    return {heading: column[stops] for heading, column in columns.items()} | {"limit": sweep.bound[stops]}


def workshop():
    """The curve with sliders for the tokens in the pass and for the assumptions."""
    return Workshop(
        name="time-per-token",
        figure=curve,
        sliders=(
            Slider("tokens", "Tokens in the pass", {count(2**power): 2**power for power in range(18)}, start="1,024"),
            Slider(
                "assumptions",
                "Assumptions",
                {"standard": PLATE, "exact count": EXACT, "datasheet limits": DATASHEET},
                start="standard",
            ),
        ),
        live=("compute_efficiency", "bandwidth_efficiency", "overhead_seconds", "model", "accelerator"),
    )


LONG_PROMPTS = np.geomspace(2**10, 2**17, 85).round().astype(int)


@drawn_in_style
def long_prompts(assumptions=PLATE, model=LLAMA_3_8B, accelerator=H100):
    """What the time per token of a prefill consists of, from 1,024 to 131,072 tokens."""
    passes = estimate(prefill(LONG_PROMPTS), model, accelerator, assumptions)
    attention = passes.compute_seconds * passes.work.flops_by_part["attention"] / passes.flops
    parts = {
        "linear layers": (passes.compute_seconds - attention, "compute"),
        "attention": (attention, "kv"),
        "overhead": (np.full(attention.shape, assumptions.overhead_seconds), "overhead"),
    }

    figure, axes = canvas(3.0)
    floor = np.zeros(attention.shape)
    for name, (seconds, role) in parts.items():
        top = floor + seconds / passes.tokens * 1e3
        axes.fill_between(LONG_PROMPTS, floor, top, color=COLOURS[role], alpha=0.25, linewidth=0)
        axes.plot(LONG_PROMPTS, top, color=COLOURS[role], linewidth=1.2)
        if name != "overhead":  # low enough for the curve to pass above the words
            y = floor[-1] + 0.2 * (top[-1] - floor[-1])
            label(axes, LONG_PROMPTS[-1] / 1.1, y, name, role, ha="right", va="center")
        floor = top
    label(axes, LONG_PROMPTS[0], 0.09, "overhead on top: thinner than the line", "overhead", va="center")
    for index in (0, 48, 84):
        tokens, total = LONG_PROMPTS[index], passes.seconds_per_token[index]
        marker(axes, tokens, total * 1e3, "ink")
        side = "left" if index == 0 else "right"
        label(axes, tokens, total * 1e3 + 0.004, milliseconds(total), "ink", ha=side, va="bottom")
    axes.set(
        xscale="log", xlim=(900, 150_000), ylim=(0, 0.1), xlabel="tokens in the prompt", ylabel="milliseconds per token"
    )
    log_ticks(axes.xaxis, LONG_PROMPTS[:84:24])
    stops = np.isin(LONG_PROMPTS, 2 ** np.arange(10, 18))
    columns = {f"{name}, ms per token": seconds / passes.tokens * 1e3 for name, (seconds, _) in parts.items()}
    columns |= {"ms per token": passes.seconds_per_token * 1e3}
    return Picture(
        name="long-prompts",
        figure=figure,
        alt="Milliseconds per token of a prefill against the length of the prompt, stacked by what takes them. The "
        f"linear layers stay at {milliseconds((passes.compute_seconds - attention)[0] / LONG_PROMPTS[0])} per token; "
        f"attention grows from {milliseconds(attention[0] / LONG_PROMPTS[0])} at {count(LONG_PROMPTS[0])} tokens to "
        f"{milliseconds(attention[-1] / LONG_PROMPTS[-1])} at {count(LONG_PROMPTS[-1])}. "
        f"The overhead is at most {milliseconds(assumptions.overhead_seconds / LONG_PROMPTS[0])} per token.",
        values={"tokens": LONG_PROMPTS[stops]} | {heading: column[stops] for heading, column in columns.items()},
        basis=basis(assumptions, model, accelerator),
    )

"""Page 05: the roofline, where passes stand under it, and where its ridge lies on other accelerators."""

import math

import numpy as np

from costmodel import ACCELERATORS, H100, LLAMA_3_8B, PLATE, attainable, count, decode, estimate, prefill

from .. import words
from ..output import Picture
from ..style import COLOURS, canvas, drawn_in_style, label, log_ticks, marker
from ..workshop import Slider, Workshop

LOWEST, HIGHEST = 2**-1, 2**14  # FLOPs per byte: from below a decode of one request to above a prompt of 8,192 tokens

# What can be in a pass of so many tokens: one prompt, or the next tokens of so many requests.
KINDS = {
    "one prompt": prefill,
    "decode, 128 cached": lambda requests: decode(128, requests),
    "decode, 1,000 cached": lambda requests: decode(1000, requests),
}
STOPS = 2 ** np.arange(14)


@drawn_in_style
def roofline(tokens=1024, cached=1000, assumptions=PLATE, model=LLAMA_3_8B, accelerator=H100):
    """The roofline with two passes: decode of one request and prefill of one prompt."""
    reached = assumptions.reached(accelerator)
    step = estimate(decode(cached), model, accelerator, assumptions)
    prompt = estimate(prefill(tokens), model, accelerator, assumptions)
    step_name = f"decode of one request, {words.count(cached)} cached"
    prompt_name = f"prefill of {words.count(tokens)} tokens"

    figure, axes = canvas(3.5)
    _roof(axes, accelerator, assumptions)
    for one_pass in (step, prompt):
        marker(axes, one_pass.intensity, attainable(one_pass.intensity, reached) / 1e12, one_pass.bound)
    label(
        axes,
        step.intensity * 1.7,
        attainable(step.intensity, reached) / 1e12 * 1.1,
        f"decode of one request:\n{_place(step, reached)}",
        step.bound,
        va="top",
    )
    label(
        axes,
        HIGHEST / 1.15,
        attainable(prompt.intensity, reached) / 1e12 / 1.5,
        f"{prompt_name}:\n{_place(prompt, reached)}",
        prompt.bound,
        ha="right",
        va="top",
    )
    points = {
        step_name: step.intensity,
        prompt_name: prompt.intensity,
        "ridge under the assumptions": reached.ridge,
    }
    return Picture(
        name="roofline",
        figure=figure,
        alt=f"{_alt(accelerator, reached)} Two passes stand on the lower one: {step_name}, at "
        f"{_place(step, reached, ' and ')}, {step.bound}-bound; {prompt_name}, at {_place(prompt, reached, ' and ')}, "
        f"{prompt.bound}-bound.",
        values={
            "point": [*points, "ridge of the datasheet"],
            "FLOP/byte": [*points.values(), accelerator.ridge],
            "TFLOP/s": [attainable(point, reached) / 1e12 for point in points.values()]
            + [accelerator.peak_flops / 1e12],
        },
        basis=words.basis(assumptions, model, accelerator),
    )


@drawn_in_style
def one_pass(tokens=64, kind="one prompt", assumptions=PLATE, model=LLAMA_3_8B, accelerator=H100):
    """Where a pass of `tokens` tokens of a `kind` stands on the roofline; small dots show its other sizes."""
    reached = assumptions.reached(accelerator)
    others = estimate(KINDS[kind](STOPS), model, accelerator, assumptions)
    chosen = estimate(KINDS[kind](tokens), model, accelerator, assumptions)
    roof = attainable(chosen.intensity, reached) / 1e12

    figure, axes = canvas(3.5)
    _roof(axes, accelerator, assumptions)
    axes.plot(
        others.intensity,
        attainable(others.intensity, reached) / 1e12,
        "o",
        color=COLOURS["ink"],
        markersize=4,
        markeredgecolor=COLOURS["paper"],
    )
    # from above the row of ridges, through which it must not run
    axes.plot(
        [chosen.intensity] * 2, [axes.get_ylim()[0] * 2.8, roof], color=COLOURS["ink"], linewidth=0.8, linestyle=":"
    )
    marker(axes, chosen.intensity, roof, "ink")
    aside = {"x": chosen.intensity * 1.5, "ha": "left"}
    if chosen.intensity > 2**10:
        aside = {"x": chosen.intensity / 1.4, "ha": "right"}
    label(axes, y=roof / 1.35, text=f"{words.significant(roof)} TFLOP/s", role="ink", va="top", **aside)

    one, many = "prompt token", "prompt tokens"
    if kind != "one prompt":
        one, many = "request, one token", "requests, one token each"
    needed = model.weight_bytes + chosen.work.kv_bytes
    reading = (
        f"{words.count(tokens)} {one if tokens == 1 else many}: {words.significant(chosen.intensity)} FLOP/byte, "
        f"so at most {words.significant(roof)} TFLOP/s, {chosen.bound}-bound."
    )
    if model.weight_bytes <= accelerator.memory < needed:  # where the weights alone do not fit, the basis says it
        needs, has = words.told_apart(needed / 1e9, accelerator.memory / 1e9)
        reading += f" It needs {needs} GB of memory; the {accelerator.name} has {has} GB."
    return Picture(
        name=f"roofline-{tokens}-{list(KINDS).index(kind)}",
        figure=figure,
        alt=f"{_alt(accelerator, reached)} A pass is marked on the lower one. {reading}",
        reading=reading,
        values={
            "tokens": STOPS,
            "FLOP/byte": others.intensity,
            "TFLOP/s at most": attainable(others.intensity, reached) / 1e12,
            "limit": others.bound,
        },
        basis=words.basis(assumptions, model, accelerator),
    )


def _roof(axes, accelerator, assumptions):
    """Both rooflines, the datasheet's dashed and the one under the assumptions solid, with ridges and regions."""
    reached = assumptions.reached(accelerator)
    # powers of two, so that a changed coefficient moves the lines and not only the labels of the axes
    low = 2.0 ** (math.floor(math.log2(attainable(LOWEST, reached) / 1e12)) - 2)
    high = 2.0 ** math.ceil(math.log2(accelerator.peak_flops / 1e12 * 1.8))
    axes.set(xscale="log", yscale="log", xlim=(LOWEST, HIGHEST), ylim=(low, high))
    log_ticks(axes.xaxis, [2**power for power in (0, 3, 6, 9, 12)])
    log_ticks(axes.yaxis, [10.0**power for power in range(-3, 6) if low <= 10.0**power <= high])
    axes.set(xlabel="arithmetic intensity, FLOP per byte", ylabel="TFLOP/s at most")

    corners = np.array([LOWEST, accelerator.ridge, HIGHEST])
    axes.plot(corners, attainable(corners, accelerator) / 1e12, color=COLOURS["muted"], linewidth=1.2, linestyle="--")
    for limit, ends in (("memory", (LOWEST, reached.ridge)), ("compute", (reached.ridge, HIGHEST))):
        axes.plot(ends, attainable(np.array(ends), reached) / 1e12, color=COLOURS[limit])
        axes.axvspan(*ends, color=COLOURS[limit], alpha=0.07, linewidth=0)
        axes.annotate(
            f"{limit}-bound",
            (math.sqrt(ends[0] * ends[1]), 1.02),
            xycoords=("data", "axes fraction"),
            color=COLOURS[limit],
            ha="center",
            va="bottom",
        )

    x, peak, bandwidth = 1.2, accelerator.peak_flops / 1e12, accelerator.bandwidth / 1e12
    above = bandwidth * 1.15  # the slope of a line just above the dashed one, along which the label runs
    along = {"rotation": math.degrees(math.atan(above)), "rotation_mode": "anchor", "transform_rotates_text": True}
    text = f"{words.significant(bandwidth)} TB/s{_share(assumptions.bandwidth_efficiency)}"
    label(axes, x, x * above, text, "muted", va="bottom", **along)
    text = f"{words.significant(peak)} TFLOP/s{_share(assumptions.compute_efficiency)}"
    label(axes, HIGHEST / 1.15, peak * 1.06, text, "muted", ha="right", va="bottom")

    left, right = sorted((reached, accelerator), key=lambda each: each.ridge)
    for each, side, shift in ((left, "right", 1 / 1.1), (right, "left", 1.1)):
        ends = [low, each.peak_flops / 1e12]
        axes.plot([each.ridge] * 2, ends, color=COLOURS["muted"], linewidth=0.8, linestyle=":")
        if each is left or each.ridge > left.ridge:
            text = f"ridge {words.significant(each.ridge)}"
            label(axes, each.ridge * shift, low * 1.1, text, "muted", ha=side, va="bottom")


def _share(efficiency):
    return f" (solid line: {efficiency:.0%})" if efficiency < 1 else ""


def _place(one_pass, reached, joint="\n"):
    roof = attainable(one_pass.intensity, reached) / 1e12
    return f"{words.significant(one_pass.intensity)} FLOP/byte{joint}{words.significant(roof)} TFLOP/s"


def _alt(accelerator, reached):
    return (
        "Attainable TFLOP/s against arithmetic intensity in FLOP per byte, both on logarithmic scales. The roofline of "
        f"the {accelerator.name} rises with the intensity at {words.significant(accelerator.bandwidth / 1e12)} TB/s up "
        f"to its ridge at {words.significant(accelerator.ridge)} and stays at "
        f"{words.significant(accelerator.peak_flops / 1e12)} TFLOP/s from there. Below it runs the roofline under the "
        f"assumptions, with its ridge at {words.significant(reached.ridge)} and its ceiling at "
        f"{words.significant(reached.peak_flops / 1e12)} TFLOP/s."
    )


def workshop():
    """The roofline with sliders for the tokens in the pass and for what they are."""
    finer = sorted({round(2 ** (quarter / 4)) for quarter in range(4 * 13 + 1)})
    return Workshop(
        name="roofline-workshop",
        figure=one_pass,
        sliders=(
            Slider(
                "tokens",
                "Tokens in the pass",
                {words.count(stop): int(stop) for stop in STOPS},
                start="64",
                live={words.count(stop): stop for stop in finer},
            ),
            Slider("kind", "Kind", {kind: kind for kind in KINDS}, start="one prompt"),
        ),
        live=("compute_efficiency", "bandwidth_efficiency", "model", "accelerator"),
    )


@drawn_in_style
def ridges(tokens=200, model=LLAMA_3_8B):
    """The ridge of each accelerator of the catalogue, and on which side of it a prefill of `tokens` tokens falls."""
    ranked = sorted(ACCELERATORS.values(), key=lambda accelerator: accelerator.ridge)
    intensity = count(model, prefill(tokens)).intensity
    span = [intensity, *(accelerator.ridge for accelerator in ranked)]
    left, right = 2.0 ** math.floor(math.log2(min(span) / 1.3)), 2.0 ** math.ceil(math.log2(max(span) * 1.3))
    bounds = ["compute" if intensity >= accelerator.ridge else "memory" for accelerator in ranked]

    figure, axes = canvas(1.1 + 0.36 * len(ranked))
    for row, accelerator in enumerate(ranked):
        for limit, start, end in (("memory", left, accelerator.ridge), ("compute", accelerator.ridge, right)):
            axes.plot([start, end], [row, row], color=COLOURS[limit], linewidth=5, solid_capstyle="butt", alpha=0.35)
        marker(axes, accelerator.ridge, row, "ink")
        away = "left" if accelerator.ridge > intensity else "right"  # the dotted line must not cross the number
        label(axes, accelerator.ridge, row + 0.2, words.significant(accelerator.ridge), "ink", ha=away, va="bottom")
    axes.axvline(intensity, color=COLOURS["ink"], linewidth=0.8, linestyle=":")
    label(axes, intensity * 1.03, -0.9, f"prefill of {words.count(tokens)} tokens", "ink", va="center")
    label(axes, left * 1.05, len(ranked) - 0.25, "memory-bound", "memory")
    label(axes, right / 1.05, len(ranked) - 0.25, "compute-bound", "compute", ha="right")
    axes.set(xscale="log", xlim=(left, right), ylim=(-1.3, len(ranked) + 0.2), xlabel="ridge, FLOP per byte")
    log_ticks(axes.xaxis, [2**power for power in range(round(math.log2(left)), round(math.log2(right)) + 1)])
    axes.set_yticks(range(len(ranked)), [accelerator.name for accelerator in ranked])
    axes.grid(visible=False, axis="y")
    return Picture(
        name="ridges",
        figure=figure,
        alt="The ridge of each accelerator in FLOP per byte: "
        + ", ".join(f"{accelerator.name} {words.significant(accelerator.ridge)}" for accelerator in ranked)
        + f". A prefill of {words.count(tokens)} tokens, at {words.significant(intensity)}, is compute-bound on "
        f"{bounds.count('compute')} of the {len(ranked)}.",
        values={
            "accelerator": [accelerator.name for accelerator in ranked],
            "TFLOP/s": [accelerator.peak_flops / 1e12 for accelerator in ranked],
            "TB/s": [accelerator.bandwidth / 1e12 for accelerator in ranked],
            "ridge, FLOP/byte": [accelerator.ridge for accelerator in ranked],
            f"{words.count(tokens)} tokens": [f"{bound}-bound" for bound in bounds],
        },
        basis=f"Peaks of the datasheets, dense BF16. The pass: {model.name}, counted as on the rest of this page.",
    )

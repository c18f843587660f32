"""Page 03: one linear layer, X [T, d_in] times W [d_in, d_out], and the FLOPs it does for each byte it moves."""

import math

import numpy as np

from costmodel import DTYPE_BYTES, LLAMA_3_8B, linear_flops, linear_intensity, linear_weights

from ..output import Picture
from ..style import COLOURS, box, canvas, drawn_in_style, label, log_ticks, marker, no_axes
from ..words import count, percent, significant
from ..workshop import Slider, Workshop

LARGEST_PASS = 2**16
SWEEP = 2 ** np.arange(17)
# so many that the inputs and outputs are all that counts
ENDLESS = 2**50
LAYERS = ("up projection", "query projection", "key projection")


def shape(model, layer):
    """(d_in, d_out) of a linear layer of `model`, by its name in `LAYERS`."""
    d_out = {
        "up projection": model.d_ff,
        "query projection": model.heads * model.head_dim,
        "key projection": model.kv_heads * model.head_dim,
    }
    return model.d_model, d_out[layer]


@drawn_in_style
def reuse(rows=4, d_in=3, d_out=6):
    """One row and several rows through the same W, every element a cell that can be counted."""
    flops = [linear_flops(tokens, d_in, d_out) for tokens in (1, rows)]
    weights = linear_weights(d_in, d_out)
    per_output = linear_flops(1, d_in, 1)

    left = 6.6  # of the matrices; the words beside them stand from 0 on
    w_left, y_left = left + d_in + 1.6, left + d_in + d_out + 3.2
    height = 2 * (max(rows, d_in) + 3.4)
    figure, axes = canvas(height * 4.6 / (y_left + d_out + 0.2))
    no_axes(axes, -0.1, y_left + d_out + 0.1, height, 0)
    axes.set_aspect("equal")
    one_row = (1, "1 token", f"{count(weights)} weights", f"{count(flops[0])} FLOPs")
    more_rows = (
        rows,
        f"{count(rows)} tokens of\none prompt,\nor 1 token each\nof {count(rows)} requests",
        f"the same {count(weights)} weights",
        f"{count(flops[1])} FLOPs, × {flops[1] / flops[0]:g}",
    )
    for top, (tokens, words, read, done) in ((1.4, one_row), (max(rows, d_in) + 5.0, more_rows)):
        middle = top + max(rows, d_in) / 2
        for name, role, x, shape_ in (
            ("X", "ink", left, (tokens, d_in)),
            ("W", "weights", w_left, (d_in, d_out)),
            ("Y", "ink", y_left, (tokens, d_out)),
        ):
            # what the first output is made of: a row of X and a column of W
            made_of = {"X": np.s_[0, :], "W": np.s_[:, 0], "Y": np.s_[0, 0]}[name]
            _matrix(axes, x, middle, shape_, role, made_of)
            label(axes, x, top - 0.5, f"{name} [{', '.join(map(str, shape_))}]", role)
        for x, sign in ((w_left, "×"), (y_left, "→")):
            axes.text(x - 0.8, middle, sign, ha="center", va="center")
        label(axes, 0, middle, words, "ink", va="center")
        below = top + max(rows, d_in) + 0.3
        label(axes, w_left, below, read, "weights", va="top")
        label(axes, y_left + d_out, below, done, "compute", va="top", ha="right")
    return Picture(
        name="weight-reuse",
        figure=figure,
        alt=f"Two matrix products with the same W of {d_in} by {d_out} elements. One row of X gives one row of Y with "
        f"{count(flops[0])} FLOPs and {count(weights)} weights. {count(rows)} rows of X give {count(rows)} rows of Y "
        f"with {count(flops[1])} FLOPs and the same {count(weights)} weights.",
        values={"rows of X": [1, rows], "FLOPs": flops, "weights": [weights, weights]},
        basis=f"Every cell is one element. The solid cells make one output: {count(per_output)} FLOPs, a multiply and "
        f"an add for each of its {count(d_in)} weights.",
    )


def _matrix(axes, x, middle, size, role, dark):
    """A grid of cells from `x` on, centred on the line `middle`; those at the indices `dark` stand out."""
    strength = np.full(size, 0.15)
    strength[dark] = 0.6
    for (row, column), fill in np.ndenumerate(strength):
        box(axes, x + column, middle - size[0] / 2 + row, 1, 1, role, fill=fill, linewidth=0.7)


@drawn_in_style
def intensity(tokens=1024, layer="up projection", model=LLAMA_3_8B):
    """FLOPs per byte of a layer against the tokens in the pass, `tokens` marked, with the other layers beside it.

    X, W and Y are each moved once, at the precision of the model's weights. Below stands what the bytes move.
    """
    size = DTYPE_BYTES[model.weight_dtype]
    curves = {name: linear_intensity(SWEEP, *shape(model, name), size) for name in LAYERS}
    d_in, d_out = shape(model, layer)
    reached = linear_intensity(tokens, d_in, d_out, size)
    weights_only = linear_intensity(tokens, d_in, d_out, size, activations=False)
    limit = linear_intensity(ENDLESS, d_in, d_out, size)
    weight_bytes = size * linear_weights(d_in, d_out)
    share = reached / weights_only  # of the bytes that are weights: the FLOPs are the same

    figure, (axes, bar) = canvas(3.9, rows=2, height_ratios=(9, 1))
    _axes(axes, curves)
    weights = linear_intensity(SWEEP, d_in, d_out, size, activations=False)
    axes.plot(SWEEP, weights, color=COLOURS["weights"], linewidth=1.2, linestyle="--")
    label(axes, 2**6, weights[6] * 1.4, "weights alone", "weights", ha="right")
    axes.axhline(limit, color=COLOURS["ink"], linewidth=0.8, linestyle=":")
    above = math.log2(limit) % 3 < 1.8  # no line of the grid, every third power, runs through the words
    height, side = (1.1, "bottom") if above else (0.9, "top")
    label(axes, 1, limit * height, f"tends to {count(limit)}", "ink", va=side)
    _curves(axes, curves, layer, model)
    low = axes.get_ylim()[0]
    axes.plot([tokens, tokens], [low, reached], color=COLOURS["ink"], linewidth=0.8, linestyle=":")
    marker(axes, tokens, reached, "ink")
    aside = {"x": tokens * 1.5, "ha": "left"} if tokens < 2**9 else {"x": tokens / 1.5, "ha": "right"}
    label(axes, y=low * 1.25, text=f"{significant(reached)} FLOPs per byte", role="ink", **aside)
    _shares(bar, share)

    reading = (
        f"{count(tokens)} {'token' if tokens == 1 else 'tokens'} through the {layer}, {count(d_in)} to {count(d_out)}: "
        f"{_scaled(linear_flops(tokens, d_in, d_out), 'FLOPs')} with {_scaled(weight_bytes, 'B')} of weights and "
        f"{_scaled(weight_bytes * (1 / share - 1), 'B')} of inputs and outputs, {significant(reached)} FLOPs per byte. "
        f"Over the weights alone it would be {significant(weights_only)}."
    )
    ends = ", ".join(f"{count(curve[-1])} for the {name}" for name, curve in curves.items())
    return Picture(
        name=f"linear-intensity-{layer.split()[0]}-{tokens}",
        figure=figure,
        alt="FLOPs per byte of a linear layer against the tokens in the pass, both on logarithmic scales. All layers "
        f"begin near {significant(curves[layer][0])} at 1 token, rise with the tokens and level off; at "
        f"{count(LARGEST_PASS)} tokens it is {ends}. {reading}",
        reading=reading,
        values={"tokens": SWEEP} | curves | {"weights alone": weights},
        basis=f"{model.name}, {size} {'byte' if size == 1 else 'bytes'} per element. "
        "The ideal: weights, inputs and outputs each move once.",
    )


def _axes(axes, curves):
    """Whole powers of two, so that a changed coefficient moves the curves and not only the labels of the axis."""
    low = math.floor(math.log2(min(curve[0] for curve in curves.values())))
    high = math.ceil(math.log2(max(curve[-1] for curve in curves.values()) * 1.5))
    axes.set(xscale="log", yscale="log", xlim=(0.8, LARGEST_PASS * 1.25), ylim=(2.0**low, 2.0**high))
    log_ticks(axes.xaxis, [2**power for power in (0, 3, 6, 9, 12, 15)])
    log_ticks(axes.yaxis, [2**power for power in range(0, high + 1, 3)])
    axes.set(xlabel="tokens in the pass", ylabel="FLOPs per byte")


def _curves(axes, curves, chosen, model):
    """A line for each layer, named where it ends; layers of one shape share it."""
    names = {}
    for name in curves:
        names.setdefault(shape(model, name), []).append(name)
    largest = max(curve[-1] for curve in curves.values())
    for same in names.values():
        curve, here = curves[same[0]], chosen in same
        role, weight = ("ink", "bold") if here else ("muted", "normal")
        axes.plot(SWEEP, curve, color=COLOURS[role], linewidth=2 if here else 1, zorder=3 if here else 2)
        words = ", ".join(name.removesuffix(" projection") for name in same)
        side = "bottom" if curve[-1] == largest else "top"  # the two largest end too close for both at their line
        label(axes, LARGEST_PASS * 1.4, curve[-1] * 1.1, words, role, va=side, fontweight=weight)


def _shares(axes, share):
    """What the bytes move: weights, or inputs and outputs."""
    axes.barh([0], [share], color=COLOURS["weights"], alpha=0.35)
    axes.barh([0], [1 - share], left=[share], color=COLOURS["muted"], alpha=0.25)
    axes.set(xlim=(0, 1), ylim=(-0.4, 0.4), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    axes.set_title("bytes moved", fontsize=9, pad=3)
    for part, x, name, side in ((share, 0.01, "weights", "left"), (1 - share, 0.99, "X and Y", "right")):
        if part > 0.18:  # a narrower part has no room for its name, and below 0.3 none for its size
            words = f"{name} {percent(part, 3)}" if part > 0.3 else name
            label(axes, x, 0, words, "ink", ha=side, va="center")


def _scaled(value, unit):
    """A quantity with the prefix that leaves one to three digits before the point."""
    power = max(0, min(4, int(math.log10(value)) // 3))
    return f"{significant(value / 1000**power)} {['', 'k', 'M', 'G', 'T'][power]}{unit}"


def workshop():
    """The intensity with sliders for the tokens in the pass and for the layer."""
    stops = {count(2**power): 2**power for power in range(14)}
    halfway = {count(3 * 2**power): 3 * 2**power for power in range(12)}
    return Workshop(
        name="linear-intensity",
        figure=intensity,
        sliders=(
            Slider(
                "tokens",
                "Tokens in the pass",
                stops,
                start="1,024",
                live=dict(sorted((stops | halfway).items(), key=lambda stop: stop[1])),
            ),
            Slider("layer", "Layer", {layer: layer for layer in LAYERS}, start="up projection"),
        ),
        live=("model",),
    )

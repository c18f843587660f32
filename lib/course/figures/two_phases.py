"""Page 01: one prefill and the decodes after it, drawn from a run of a small decoder."""

import functools
from dataclasses import dataclass

from decoder import Config, Counter, Decoder

from ..output import Picture
from ..style import COLOURS, box, canvas, drawn_in_style, label, no_axes
from ..workshop import Slider, Workshop

CONFIG = Config(layers=2, d_model=32, heads=4, kv_heads=2, head_dim=8, d_ff=64, vocab=100)
SEED = 2
# any tokens would do; these are the digits of pi in pairs
TOKENS = (31, 41, 59, 26, 53, 58, 97, 93, 23, 84, 62, 64, 33, 83, 27, 95)
PROMPT = TOKENS[:4]
PASSES = 5

CELL = {"width": 0.9, "height": 0.72}


@dataclass(frozen=True)
class Pass:
    """One pass of a run over one request.

    number: 0 is the prefill. tokens: what went in. before, stored: positions that had K/V in each layer before
    the pass and after it, as the cache said then. chosen: the token with the highest score. counter: what was done.
    """

    number: int
    prompt: int
    tokens: tuple[int, ...]
    before: tuple[int, ...]
    stored: tuple[int, ...]
    chosen: int
    counter: Counter

    @property
    def name(self):
        """prefill, decode 1, decode 2, …"""
        return f"decode {self.number}" if self.number else "prefill"

    @property
    def inputs(self):
        """The names of the positions that entered: those that had no K/V yet."""
        return self.names(len(self.tokens), start=self.before[0])

    @property
    def output(self):
        """The name of the chosen token, which is that of the first position without K/V."""
        return self.names(1, start=self.stored[0])[0]

    def names(self, positions, start=0):
        """What as many positions are called from `start` on: p0, p1, … in the prompt, then x0, x1, …"""
        return [
            f"p{position}" if position < self.prompt else f"x{position - self.prompt}"
            for position in range(start, start + positions)
        ]


def small_decoder():
    """The decoder of the first pages: small, with random weights, the same in every run."""
    return Decoder(CONFIG, seed=SEED)


@functools.cache
def run(prompt=PROMPT, passes=PASSES):
    """Prefill `prompt`, a tuple of tokens, then decode: the `Pass` objects of as many passes, in order."""
    decoder = small_decoder()
    cache = decoder.new_cache()
    done, tokens = [], tuple(prompt)
    for number in range(passes):
        counter, before = Counter(), cache.lengths
        scores = decoder.forward([tokens], [cache], counter)
        chosen = int(scores[0].argmax())
        done.append(Pass(number, len(prompt), tokens, before, cache.lengths, chosen, counter))
        tokens = (chosen,)
    return tuple(done)


def basis():
    """The line under every figure that is drawn from the run."""
    c = CONFIG
    return (
        f"Recorded while a Llama-style decoder with random weights ran: {c.layers} layers, d_model {c.d_model}, "
        f"{c.heads} query heads and {c.kv_heads} key/value heads of {c.head_dim}, d_ff {c.d_ff}, vocabulary {c.vocab}."
    )


@drawn_in_style
def flow(passes=3):
    """The passes one below the other, a column for each position: what enters, what is stored then, what is chosen."""
    done = run(passes=passes)
    columns = done[-1].stored[0] + 1
    figure, axes = canvas(1.38 * passes)
    no_axes(axes, -2.3, columns, -3.5 * passes + 1.3, 0.85)
    for one in done:
        top = -3.5 * one.number
        label(axes, -2.3, top + CELL["height"] / 2, f"{one.name}: in", "ink", va="center_baseline")
        _inputs(axes, one, top)
        _stored(axes, one, top - 1.05, "K/V after", one.before[0], one.stored[0], columns)
        _chosen(axes, one, top - 2.1)
        if one is not done[-1]:
            _arrow(axes, one.stored[0], top - 2.1, one.stored[0], top - 3.5 + CELL["height"])
    return Picture(
        name="execution-flow",
        figure=figure,
        alt="Passes of one request, one below the other. " + " ".join(map(_sentence, done)),
        values=_values(done),
        basis=basis(),
    )


@drawn_in_style
def step(number=0):
    """One pass of the run: what is known before it, what enters, what each layer's cache holds then, what is chosen."""
    done = run()
    one, columns = done[number], done[-1].stored[0] + 1
    figure, axes = canvas(2.1)
    no_axes(axes, -2.9, columns, -1.05 * len(one.stored) - 1.2, 1.9)
    label(axes, -2.9, 1.05 + CELL["height"] / 2, "known before", "ink", va="center_baseline")
    known = [*one.names(one.before[0]), *one.inputs]
    for position in range(columns):
        text, role = (known[position], "ink") if position < len(known) else ("?", "muted")
        box(axes, position, 1.05, **CELL, role=role, text=text, fill=0, linewidth=0)
    label(axes, -2.9, CELL["height"] / 2, "enters now", "ink", va="center_baseline")
    _inputs(axes, one, 0)
    for layer, (before, stored) in enumerate(zip(one.before, one.stored, strict=True)):
        _stored(axes, one, -1.05 * (layer + 1), f"K/V, layer {layer}", before, stored, columns, arrows=layer == 0)
    _chosen(axes, one, -1.05 * (len(one.stored) + 1))
    reading = f"{_sentence(one)} {one.output} is known now, and has no K/V."
    return Picture(
        name=f"pass-{number}",
        figure=figure,
        alt=f"The positions of one request in columns. {reading} The cache held {_listed(one.names(one.before[0]))} "
        "before the pass.",
        values=_values([one]),
        basis=basis(),
        reading=reading,
    )


def workshop():
    """The run, pass by pass."""
    stops = {one.name: one.number for one in run()}
    return Workshop(
        name="two-phases",
        figure=step,
        sliders=(Slider("number", "Pass", stops, start="prefill"),),
    )


def _inputs(axes, one, y):
    for position, name in enumerate(one.inputs, start=one.before[0]):
        box(axes, position, y, **CELL, role="compute", text=name, fill=0.15)


def _stored(axes, one, y, heading, before, stored, columns, arrows=True):
    """The cache: what it held before the pass faint, what the pass wrote solid, the rest empty."""
    label(axes, -2.3 if heading == "K/V after" else -2.9, y + CELL["height"] / 2, heading, "kv", va="center_baseline")
    for position, name in enumerate(one.names(stored)):
        box(axes, position, y, **CELL, role="kv", text=name, fill=0.15 if position < before else 1)
        if arrows and position >= before:
            _arrow(axes, position, y + 1.05, position, y + CELL["height"])
    for position in range(stored, columns):
        box(axes, position, y, **CELL, role="muted", fill=0, linestyle=":", linewidth=0.8)


def _chosen(axes, one, y):
    """The output, in the column where it is to enter, and the position whose scores it was chosen from."""
    last, middle = one.stored[0] - 1, y + CELL["height"] / 2
    label(axes, last + 0.1, middle, f"scores at {one.inputs[-1]} choose", "ink", ha="right", va="center_baseline")
    corner = last + CELL["width"] / 2
    axes.plot([corner, corner], [y + 1, middle], color=COLOURS["ink"], linewidth=1)
    _arrow(axes, corner - CELL["width"] / 2, middle, one.stored[0] - CELL["width"] / 2, middle)
    box(axes, one.stored[0], y, **CELL, role="ink", text=one.output, fill=0, linestyle="--")


def _arrow(axes, x, y, to_x, to_y):
    """An arrow between two points, each given in the middle of its column."""
    middle = CELL["width"] / 2
    arrow = {"arrowstyle": "->", "color": COLOURS["ink"], "shrinkA": 1, "shrinkB": 1, "linewidth": 1}
    axes.annotate("", (to_x + middle, to_y), (x + middle, y), arrowprops=arrow)


def _listed(names):
    return " ".join(names) or "nothing"


def _sentence(one):
    enter = "enters" if len(one.inputs) == 1 else "enter together"
    return (
        f"{one.name.capitalize()}: {_listed(one.inputs)} {enter}; the cache now holds "
        f"{_listed(one.names(one.stored[0]))}; the scores at {one.inputs[-1]} choose {one.output}."
    )


def _values(passes):
    return {
        "pass": [one.name for one in passes],
        "in": [_listed(one.inputs) for one in passes],
        "as tokens": [" ".join(map(str, one.tokens)) for one in passes],
        "positions with K/V before": [one.before[0] for one in passes],
        "positions with K/V after": [one.stored[0] for one in passes],
        "chosen": [one.output for one in passes],
        "as token": [str(one.chosen) for one in passes],
    }

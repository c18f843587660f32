"""Page 04: where the work of a pass goes, and which conventions of counting move its time."""

import functools
import json
import math
from dataclasses import dataclass, field, replace
from pathlib import Path

from costmodel import DATASHEET, H100, LLAMA_3_8B, PLATE, count, decode, estimate, prefill

from ..output import Picture
from ..style import COLOURS, canvas, drawn_in_style, label, marker
from ..words import basis, listed, milliseconds, percent, significant, tick
from ..words import count as whole
from ..workshop import Slider, Workshop

PROMPT, CACHED = 1024, 1000
PASSES = {"prefill": prefill(PROMPT)} | {f"decode {batch}": decode(CACHED, batch) for batch in (1, 8, 64, 256)}
NAMES = {"prefill": f"prefill of {whole(PROMPT)}"} | {
    name: f"decode, batch {name.split()[1]}" for name in PASSES if name != "prefill"
}


@dataclass(frozen=True)
class Choice:
    """One convention in which a count can differ from the exact one.

    accounting: the fields of `Accounting` that it sets. factors: what it multiplies fields of the `Accelerator` by.
    """

    words: str
    accounting: dict = field(default_factory=dict)
    factors: dict = field(default_factory=dict)


CHOICES = {
    "embedding": Choice("embedding table multiplied and read", {"parameters": "all"}),
    "head": Choice("output head at every position", {"output_head": "every position"}),
    "square": Choice("attention over the full square", {"attention": "full square"}),
    "query heads": Choice("keys and values read per query head", {"kv_heads": "heads"}),
    "GiB": Choice("bandwidth in GB/s read as GiB/s", factors={"bandwidth": 2**30 / 1e9}),
    "sparse": Choice("sparse peak taken as dense", factors={"peak_flops": 2}),
}


def counted(one_pass, choices=(), model=LLAMA_3_8B, accelerator=H100):
    """The `Estimate` of a pass of `PASSES` at the datasheet's limits: the exact count, changed by `choices`."""
    accounting = DATASHEET.accounting
    for choice in (CHOICES[name] for name in choices):
        accounting = replace(accounting, **choice.accounting)
        accelerator = replace(
            accelerator, **{name: factor * getattr(accelerator, name) for name, factor in choice.factors.items()}
        )
    return estimate(PASSES[one_pass], model, accelerator, replace(DATASHEET, accounting=accounting))


def change(one_pass, choices, model=LLAMA_3_8B, accelerator=H100):
    """By how much `choices` change the time of a pass, as a share of that of the exact count."""
    exact = counted(one_pass, (), model, accelerator).seconds
    return counted(one_pass, choices, model, accelerator).seconds / exact - 1


PARTS = {
    "embedding": "embedding",
    "projections": "projections",
    "mlp": "MLP",
    "norms": "norms",
    "output_head": "output head",
    "attention": "attention",
    "kv": "KV cache",
}


@drawn_in_style
def work(accounting=PLATE.accounting, model=LLAMA_3_8B):
    """The share of each part in the FLOPs and the bytes of a prefill and of a decode step."""
    figure, grid = canvas(4.6, 2, 2, sharey=True)
    columns = {"pass": [], "part": [], "GFLOP": [], "GB": []}
    alt = []
    for row, name in zip(grid, ("prefill", "decode 1"), strict=True):
        counts = count(model, PASSES[name], accounting)
        kv = {"kv": counts.kv_bytes}
        for axes, by_part, total, unit in (
            (row[0], counts.flops_by_part, counts.flops, "GFLOP"),
            (row[1], {**counts.bytes_by_part, **kv}, counts.bytes, "GB"),
        ):
            shares = {part: by_part[part] / total for part in PARTS if part in by_part}
            _shares(axes, shares, "compute" if unit == "GFLOP" else "weights")
            axes.set_title(f"{NAMES[name]}:\n{significant(total / 1e9)} {unit}")
            most = max(shares, key=shares.get)
            alt.append(
                f"{NAMES[name]}, {significant(total / 1e9)} {unit}, {percent(shares[most])} of it in the {PARTS[most]}"
            )
        columns["pass"] += [NAMES[name]] * len(PARTS)
        columns["part"] += list(PARTS.values())
        columns["GFLOP"] += [counts.flops_by_part.get(part, 0) / 1e9 for part in PARTS]
        columns["GB"] += [({**counts.bytes_by_part, **kv}).get(part, 0) / 1e9 for part in PARTS]
    for axes, what in zip(grid[1], ("share of the FLOPs", "share of the bytes"), strict=True):
        axes.set_xlabel(what)
    return Picture(
        name="where-the-work-goes",
        figure=figure,
        alt=f"Shares of the parts of {model.name} in the work of a pass. {'; '.join(alt)}.",
        values=columns,
        basis=f"{model.name}; decode at {whole(CACHED)} cached positions, batch 1. Counted: {accounting}.",
    )


def _shares(axes, shares, role):
    """A bar for each part, the model's order from top to bottom."""
    places = {part: -place for place, part in enumerate(PARTS)}
    for part, share in shares.items():
        colour = "kv" if part in ("attention", "kv") else role
        axes.barh(places[part], share, color=COLOURS[colour], height=0.6)
        _beside(axes, share, places[part], _percent(share), colour)
    axes.set(xlim=(0, 0.95), xticks=[0, 0.25, 0.5, 0.75], xticklabels=["0", "25%", "50%", "75%"])
    axes.set_yticks(list(places.values()), PARTS.values())
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)


def _beside(axes, x, y, text, role, side="right"):
    """`text` a little to the side of the mark that ends at (x, y)."""
    offset, align = ((4, 0), "left") if side == "right" else ((-4, 0), "right")
    axes.annotate(
        text,
        (x, y),
        xytext=offset,
        textcoords="offset points",
        color=COLOURS[role],
        fontsize=9,
        ha=align,
        va="center_baseline",
    )


def _percent(share):
    return "0" if share == 0 else "< 0.01%" if share < 1e-4 else percent(share)


@drawn_in_style
def conventions(model=LLAMA_3_8B, accelerator=H100):
    """What each choice changes in the time of a pass, the largest first."""
    passes = ("prefill", "decode 1", "decode 64")
    changes = {choice: {name: change(name, (choice,), model, accelerator) for name in passes} for choice in CHOICES}
    largest_first = sorted(CHOICES, key=lambda choice: -max(map(abs, changes[choice].values())))

    figure, axes = canvas(4.5)
    ticks, line = {}, 0
    for choice in largest_first:
        axes.text(0.02, line, CHOICES[choice].words, transform=axes.get_yaxis_transform(), va="center_baseline")
        top = line - 0.5
        for name, value in changes[choice].items():
            if value:
                line -= 1
                role = counted(name, (), model, accelerator).bound
                axes.barh(line, value, color=COLOURS[role], height=0.65)
                _beside(axes, value, line, _signed(value), role, "right" if value > 0 else "left")
                ticks[line] = NAMES[name]
        axes.plot([0, 0], [top, line - 0.5], color=COLOURS["muted"], linewidth=0.8)
        line -= 1.3
    every = [value for row in changes.values() for value in row.values()]
    low, high = math.floor(min(every) * 2) / 2, math.ceil(max(every) * 2) / 2
    axes.set(xlim=(low - 0.5, high + 0.1), ylim=(line + 0.5, 0.8), xlabel="change in the time of the pass")
    axes.xaxis.set_major_formatter(lambda value, _: _signed(value, 0))
    axes.set_yticks(list(ticks), list(ticks.values()))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)
    return Picture(
        name="conventions",
        figure=figure,
        alt="What one choice changes in the time of a pass against the exact count: "
        + "; ".join(
            f"{CHOICES[choice].words}: "
            + ", ".join(f"{NAMES[name]} {_signed(value)}" for name, value in changes[choice].items() if value)
            for choice in largest_first
        )
        + ". The other passes stay as they are.",
        values={"choice": [CHOICES[choice].words for choice in largest_first]}
        | {NAMES[name]: [_signed(changes[choice][name]) for choice in largest_first] for name in passes},
        basis=f"{basis(DATASHEET, model, accelerator)} Decode at {whole(CACHED)} cached positions. "
        "One choice is changed at a time.",
    )


def _signed(share, decimals=1):
    decimals = 0 if abs(share) >= 0.995 else decimals
    return f"{share:+.{decimals}%}".replace("-", "−") if share else "0"


@functools.cache
def calculators():
    """What other calculators print for this example: their data file."""
    return json.loads(Path(__file__).with_name("calculators.json").read_text(encoding="utf-8"))


def reproduced(calculator, one_pass):
    """Seconds that this book's count gives for a pass when it makes a calculator's choices, as far as it has them.

    What it has no choice for stays as it is: activations, sums over operators. `its_model` and `its_accelerator` are
    what the calculator has otherwise; KV traffic counted twice is that of elements twice as wide.
    """
    choices = calculator["prefill_choices" if one_pass == "prefill" else "decode_choices"]
    model = replace(LLAMA_3_8B, **calculator.get("its_model", {}))
    accelerator = replace(H100, **calculator.get("its_accelerator", {}))
    return counted(one_pass, choices, model, accelerator).seconds


@drawn_in_style
def switchboard(choices=(), one_pass="prefill", model=LLAMA_3_8B, accelerator=H100):
    """The time of a pass as it is counted under `choices`, among what calculators print for it."""
    exact = counted(one_pass, (), model, accelerator).seconds
    estimated = counted(one_pass, choices, model, accelerator)
    chosen = estimated.seconds
    data = calculators()
    known = (model.name, accelerator.name) == (data["model"], data["accelerator"])
    printed = {tool["name"]: tool["milliseconds"][one_pass] for tool in data["calculators"]} if known else {}

    figure, axes = canvas(3.3)
    every = [counted(one_pass, stop, model, accelerator).seconds * 1e3 for stop in COUNTS.values()]
    right, bottom = _round_up(max([*every, *printed.values()]) * 1.25), -len(printed) - 0.6
    axes.set(xlim=(0, right), ylim=(bottom, 1.8))
    for place, value in enumerate(printed.values(), 1):
        marker(axes, value, -place, "muted")
        label(axes, right, -place, f"{value:.2f}", "ink", ha="right", va="center_baseline")
    if choices:
        axes.plot([exact * 1e3] * 2, [bottom, 0], color=COLOURS["muted"], linewidth=1.2, linestyle=":")
        side = "left" if chosen >= exact else "right"
        _beside(axes, exact * 1e3, -0.1, f"exact {milliseconds(exact)}", "muted", side)
    axes.plot([chosen * 1e3] * 2, [bottom, 0.8], color=COLOURS["ink"], linewidth=1.2)
    who = "this count" if choices else "the exact count"
    label(axes, chosen * 1e3, 0.9, f"{who} {milliseconds(chosen)}", "ink", ha="center", va="bottom")
    axes.set_yticks([-place for place in range(1, len(printed) + 1)], list(printed))
    axes.set_xlabel(f"milliseconds, {NAMES[one_pass]}")
    axes.xaxis.set_major_formatter(tick)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.spines["left"].set_visible(False)

    words = ", ".join(CHOICES[name].words for name in choices) or "the exact count"
    reading = f"{NAMES[one_pass].capitalize()}; {words}: {milliseconds(chosen)}"
    reading += f", {_signed(chosen / exact - 1)} against the exact count." if choices else "."
    if printed:
        near = [name for name, value in printed.items() if math.isclose(value, chosen * 1e3, rel_tol=0.01)]
        reading += f" Printed within 1% of it by {listed(near)}." if near else " No calculator is within 1% of it."
    return Picture(
        name=f"switchboard-{one_pass}-{'-'.join(choices) or 'exact'}",
        figure=figure,
        alt=f"Time of one pass on a scale of milliseconds: this count, and what calculators print. {reading}",
        reading=reading,
        values={
            "who counts": ["exact", "this count", *printed],
            "ms": [exact * 1e3, chosen * 1e3, *printed.values()],
        },
        basis=basis(estimated.assumptions, model, accelerator)
        + (f" The calculators were run on {data['run']}." if known else ""),
    )


def _round_up(value):
    """`value` rounded up to half of a power of ten, so that a changed number moves the marks and not the axis."""
    step = 10 ** math.floor(math.log10(value)) / 2
    return math.ceil(value / step) * step


_TOGETHER = (("embedding", "head"), ("head", "square"), ("embedding", "head", "square"))
COUNTS = {" + ".join(names) or "exact": names for names in ((), *((name,) for name in CHOICES), *_TOGETHER)}


def workshop():
    """The count's conventions and the pass, each on a slider; a live view has every combination of conventions."""
    names = list(CHOICES)
    every = [tuple(name for bit, name in enumerate(names) if number >> bit & 1) for number in range(2 ** len(names))]
    return Workshop(
        name="conventions-switchboard",
        figure=switchboard,
        sliders=(
            Slider(
                "choices",
                "Counted",
                COUNTS,
                start="exact",
                live={" + ".join(chosen) or "exact": chosen for chosen in every},
            ),
            Slider("one_pass", "Pass", {NAMES[name]: name for name in PASSES}, start=NAMES["prefill"]),
        ),
        live=("model", "accelerator"),
    )

"""Page 02: the tokens that a pass processes and the context that it attends to, counted while a decoder ran."""

import functools

import numpy as np

from decoder import Counter

from ..output import Picture
from ..style import COLOURS, box, canvas, drawn_in_style, label, no_axes
from ..words import count, listed, tick
from ..workshop import Slider, Workshop
from .two_phases import TOKENS, basis, run, small_decoder

STEPS = 32
# prompt lengths of the eight requests that decode together
LENGTHS = (2, 3, 4, 5, 7, 9, 11, 14)
PROMPT_LENGTHS = (2, 4, 8)
DECODES = 8


def rows(counter):
    """T: the rows that went through the linear layers, from the shape that X had in the first of them."""
    return next(operation.shapes[0][0] for operation in counter.operations if operation.part == "projections")


def attended(counter, request=0, layer=0):
    """L of each query of a request, in order: the number of keys that its scores were computed with."""
    place = ("scores", request, layer)
    return [o.shapes[1][-1] for o in counter.operations if (o.name, o.request, o.layer) == place]


@drawn_in_style
def rows_and_cells():
    """Rows of X above and attended cells below: the prefill on the left, the first decode on the right."""
    passes = run()[:2]
    figure, axes = canvas(4.1)
    no_axes(axes, -1.2, 13.6, -11.2, 1.7)
    for one, left in zip(passes, (0, 7), strict=True):
        past, names = one.before[0], one.names(one.stored[0])
        axes.text(left - 1.2, 1.2, f"{one.name}, T = {rows(one.counter)}", fontweight="bold", va="center_baseline")
        label(axes, left - 1.2, 0.2, "linear layers: rows of X", "compute", va="center_baseline")
        for row, name in enumerate(names):
            if row < past:
                _absent(axes, left, -0.9 * row - 1, 4.9, 0.75)
            else:
                box(axes, left, -0.9 * row - 1, 4.9, 0.75, "compute", name, fill=0.25)
        label(axes, left - 1.2, -5.4, "attention: cells (query, key)", "kv", va="center_baseline")
        _names(axes, left, -6.1, names)
        for query in range(past):
            for key in range(query + 1):
                _absent(axes, left + key, -0.9 * query - 7.3, 0.9, 0.75)
        for query, length in enumerate(attended(one.counter), start=past):
            _row(axes, left, -0.9 * query - 7.3, names[query], length, fill=0.75)
            label(axes, left + length + 0.2, -0.9 * query - 6.9, f"L = {length}", "ink", va="center_baseline")
    counted = [
        f"{one.name.capitalize()}: T = {rows(one.counter)}, L = {_range(attended(one.counter))}" for one in passes
    ]
    return Picture(
        name="rows-and-cells",
        figure=figure,
        alt="Rows that the linear layers multiply, above, and (query, key) cells that attention computes, below. "
        + ". ".join(counted)
        + f". The prefill's cells are a triangle of {sum(attended(passes[0].counter))}; the decode's are one row of "
        f"{sum(attended(passes[1].counter))}.",
        values={
            "pass": [one.name for one in passes for _ in attended(one.counter)],
            "query": [name for one in passes for name in one.inputs],
            "attended length L": [length for one in passes for length in attended(one.counter)],
        },
        basis=basis(),
    )


@drawn_in_style
def cells(prompt, number):
    """The cells that one pass computes, below those of the passes before it: one row for each query."""
    passes = run(TOKENS[:prompt], number + 1)
    one, positions = passes[-1], prompt + DECODES
    lengths, so_far = attended(one.counter), sum(sum(attended(each.counter)) for each in passes)
    names = one.names(one.stored[0])
    figure, axes = canvas(4.1)
    no_axes(axes, -1.4, positions + 0.1, -positions - 0.1, 1.2)
    _names(axes, 0, 0.5, names)
    query = 0
    for each in passes:
        for length in attended(each.counter):
            _row(axes, 0, -query - 0.9, names[query], length, fill=0.8 if each is one else 0.12)
            query += 1
    for line, text in enumerate((f"T = {rows(one.counter)}", f"L = {_range(lengths)}", f"cells now: {sum(lengths)}")):
        axes.text(positions, -line * positions / 13 - 0.6, text, ha="right", va="center_baseline")
    reading = (
        f"Prompt of {prompt} tokens, {one.name}: T = {rows(one.counter)} and L = {_range(lengths)}, which makes "
        f"{sum(lengths)} cells in this pass and {count(so_far)} since the beginning."
    )
    return Picture(
        name=f"cells-{prompt}-{number}",
        figure=figure,
        alt="Cells of attention, a row for each query and a column for each key, those of this pass solid and "
        f"those of earlier passes faint. {reading}",
        values={
            "pass": [each.name for each in passes],
            "T": [rows(each.counter) for each in passes],
            "L": [_range(attended(each.counter)) for each in passes],
            "cells": [sum(attended(each.counter)) for each in passes],
        },
        basis=basis(),
        reading=reading,
    )


def workshop():
    """The cells pass by pass, for three lengths of the prompt."""
    passes = {one.name: one.number for one in run(passes=DECODES + 1)}
    return Workshop(
        name="cells",
        figure=cells,
        sliders=(
            Slider("number", "Pass", passes, start=f"decode {DECODES}"),
            Slider("prompt", "Tokens in the prompt", {str(length): length for length in PROMPT_LENGTHS}, start="4"),
        ),
    )


@drawn_in_style
def growth():
    """What each of many decode steps did: arithmetic above, elements read below, against the attended length."""
    steps = run(passes=STEPS + 1)[1:]
    counters = [one.counter for one in steps]
    length = np.array([attended(counter)[0] for counter in counters])
    linear = np.array([counter.flops["projections"] + counter.flops["mlp"] for counter in counters])
    attention = np.array([counter.flops["attention"] for counter in counters])
    weights = np.array([sum(counter.weight_elements.values()) for counter in counters])
    kv = np.array([counter.kv_elements_read for counter in counters])

    figure, panels = canvas(4.0, 2, 1, sharex=True)
    curves = (
        (
            "FLOPs of one decode step",
            48_000,
            ("projections and MLP", linear, "compute"),
            ("attention", attention, "kv"),
        ),
        ("elements read in one decode step", 28_000, ("weights", weights, "weights"), ("K/V", kv, "kv")),
    )
    for axes, (title, top, *lines) in zip(panels, curves, strict=True):
        axes.set(title=title, ylim=(0, top), xlim=(0, length[-1] + 1))
        axes.yaxis.set_major_formatter(tick)
        for name, values, role in lines:
            axes.plot(length, values, ".-", color=COLOURS[role], linewidth=1.2, markersize=4)
            label(axes, length[-1], values[-1] + top / 30, f"{name}: {_ends(values)}", role, ha="right", va="bottom")
    panels[-1].set_xlabel("attended length L of the step")
    return Picture(
        name="growth",
        figure=figure,
        alt=f"{count(len(steps))} decode steps, L from {_ends(length)}. FLOPs of projections and MLP: {_ends(linear)} "
        f"per step; FLOPs of attention: {_ends(attention)}. Weight elements read: {_ends(weights)}; K and V elements "
        f"read: {_ends(kv)}.",
        values={
            "L": length,
            "FLOPs of projections and MLP": linear,
            "FLOPs of attention": attention,
            "weight elements read": weights,
            "K/V elements read": kv,
        },
        basis=basis(),
    )


@functools.cache
def decode_together(lengths=LENGTHS):
    """The counter of one decode pass that holds a request for each of `lengths`, each prompt prefilled before."""
    decoder, counter = small_decoder(), Counter()
    caches = [decoder.new_cache() for _ in lengths]
    scores = decoder.forward([TOKENS[:length] for length in lengths], caches)
    decoder.forward(scores.argmax(axis=1)[:, None], caches, counter)
    return counter


@drawn_in_style
def together(lengths=LENGTHS):
    """One decode pass of many requests: the rows of X that they fill, and the positions that each attends to."""
    counter = decode_together(lengths)
    names = [chr(ord("A") + request) for request in range(len(lengths))]
    attended_lengths = [attended(counter, request)[0] for request in range(len(lengths))]
    figure, axes = canvas(2.6)
    no_axes(axes, -0.2, 24.4, -len(lengths) - 0.2, 1.7)
    label(axes, 0, 0.9, f"X: T = {rows(counter)}", "compute", va="center_baseline")
    label(axes, 7, 0.9, "K/V that each row attends to", "kv", va="center_baseline")
    for request, (name, length) in enumerate(zip(names, attended_lengths, strict=True)):
        y = -request - 0.9
        box(axes, 0, y, 4.5, 0.8, "compute", name, fill=0.25)
        for key in range(length):
            box(axes, 7 + key, y, 0.9, 0.8, "kv", fill=0.15 if key < length - 1 else 1)
        label(axes, 7.3 + length, y + 0.4, f"L = {length}", "ink", va="center_baseline")
    return Picture(
        name="eight-requests",
        figure=figure,
        alt=f"One decode pass of {len(lengths)} requests. The linear layers multiply {rows(counter)} rows, one for "
        f"each request; attention reads each request's own K/V, with attended lengths {listed(attended_lengths)}.",
        values={"request": names, "rows of X": [1] * len(names), "attended length L": attended_lengths},
        basis=basis(),
    )


def _names(axes, left, y, names):
    for column, name in enumerate(names):
        label(axes, left + column + 0.45, y, name, "kv", ha="center", va="center_baseline")


def _row(axes, left, y, name, length, fill):
    """One query's cells, with the name of its position in front."""
    label(axes, left - 0.2, y + 0.4, name, "ink", ha="right", va="center_baseline")
    for key in range(length):
        box(axes, left + key, y, 0.9, 0.8, "kv", fill=fill, linewidth=0.8)


def _absent(axes, x, y, width, height):
    """Where something was computed in an earlier pass and is not computed again."""
    box(axes, x, y, width, height, "muted", fill=0, linestyle=":", linewidth=0.8)


def _range(lengths):
    return str(lengths[0]) if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"


def _ends(values):
    """A row of numbers by its ends, or as one number where all are the same."""
    return count(values[0]) if np.ptp(values) == 0 else f"{count(values[0])} to {count(values[-1])}"

"""What figures say at any setting of a workshop's live controls, the extreme ones first of all."""

import itertools
import math
import random
import re

import pytest

from course.figures import (
    batching,
    kv_limits,
    linear_layer,
    roofline,
    time_per_token,
    tokens_and_context,
    two_latencies,
    two_phases,
    whole_model,
)
from course.live import CATALOGUES, Live, Number

WORKSHOPS = [
    module.workshop()
    for module in (
        two_phases,
        tokens_and_context,
        linear_layer,
        whole_model,
        roofline,
        time_per_token,
        batching,
        kv_limits,
        two_latencies,
    )
]

# what nobody would write
FAULTS = {
    "a power of ten": r"\de[+-]\d\d",
    "thousands without a comma": r"(?<![\d.,])\d{4,}(?![\d-])",  # but for the year of a date
    "milliseconds that are minutes": r"\d{3},\d{3} ms",
    "two sizes that differ, written alike": r"([\d.,]+) GB(, do not fit in its memory,| of memory; the .+ has) \1 GB",
    "a rate of a single digit": r"(?<![\d.,])\d (tokens )?per second",
    "a part as large as the whole": r"(?<![\d.,])100% of the (bytes|time|ceiling)",
    "a part of no size": r"(?<![\d.,])[+−]?0(\.0+)?%",
    "a memory that holds zero": r"memory holds 0\b",
    "one of many": r"(?<![\d.,])1 (tokens|requests)\b",
}


DRAWN = 42  # settings of each workshop, in about a second: each model on each accelerator


def extremes(control):
    """All models, all accelerators, and of any other control its two ends and where it starts."""
    if isinstance(control, Number):
        return [control.least, control.largest]
    stops = list(control.options.values())
    if control.argument in CATALOGUES:
        return stops
    return [stops[0], control.options[control.start], stops[-1]]


def settings(live):
    """Each model on each accelerator, as far as a workshop has them, with some of the other controls' extremes."""
    controls = {control.argument: extremes(control) for control in live.controls}
    machines = list(itertools.product(*(controls.pop(argument, [None]) for argument in CATALOGUES)))
    others = list(itertools.product(*controls.values()))
    chance = random.Random(live.workshop.name)
    for machine in machines:
        for other in chance.sample(others, min(len(others), math.ceil(DRAWN / len(machines)))):
            chosen = {argument: part for argument, part in zip(CATALOGUES, machine, strict=True) if part}
            yield chosen | dict(zip(controls, other, strict=True))


def said(picture):
    """Every text of a picture: its sentences, the letters of its drawing, its table."""
    yield from (picture.reading, picture.alt, picture.basis)
    yield from (text for column in picture.values.values() for text in column if isinstance(text, str))
    for axes in picture.figure.axes:
        yield from (axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel())
        for text in (*axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels()):
            yield text.get_text()


@pytest.mark.parametrize("workshop", WORKSHOPS, ids=lambda workshop: workshop.name)
def test_no_setting_makes_a_figure_say_what_nobody_would_write(workshop):
    live = Live(workshop)
    found = {
        f"{fault}: {text!r}"
        for setting in settings(live)
        for text in said(live.picture(setting))
        for fault, pattern in FAULTS.items()
        if re.search(pattern, text)
    }
    assert not found

"""The live view in the book's own page: what `book/_static/live.js` asks Python, as JSON in and JSON out."""

import functools
import importlib
import json

from .live import Choice, Live


def describe(figures):
    """The controls of the workshop in the module `figures`, in order, as JSON."""
    return json.dumps([_describe(control) for control in _live(figures).controls])


def draw(figures, settings):
    """The figure as HTML for `settings`: JSON, each control's argument → its number, or the index of its option."""
    return _live(figures).picture(_values(figures, settings)).html()


def follow(figures, settings):
    """What the other controls have to show now that a new base of assumptions is chosen: argument → number, as JSON."""
    return json.dumps(_live(figures).follow(_values(figures, settings)["assumptions"]))


@functools.cache
def _live(figures):
    return Live(importlib.import_module(figures).workshop())


def _describe(control):
    entry = {"argument": control.argument, "label": control.label}
    if isinstance(control, Choice):
        options = list(control.options)
        return entry | {"options": options, "ordered": control.ordered, "start": options.index(control.start)}
    limits = {"least": control.least, "largest": control.largest, "step": control.step}
    return entry | limits | {"readout": control.readout, "start": control.start}


def _values(figures, settings):
    settings = json.loads(settings)
    return {
        control.argument: list(control.options.values())[settings[control.argument]]
        if isinstance(control, Choice)
        else settings[control.argument]
        for control in _live(figures).controls
    }

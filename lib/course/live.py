"""The live view of a workshop: every control redraws the figure in Python.

`Live` is what a view needs to know and do. `view` makes an ipywidgets view of it, for a notebook with a kernel.
"""

import contextlib
import dataclasses
from dataclasses import dataclass

from costmodel import ACCELERATORS, H100, LLAMA_3_8B, MODELS, PLATE

from .output import NOTEBOOK_STYLE

# numeric fields of `Assumptions`: label, least, largest, step, format of the readout
FIELDS = {
    "compute_efficiency": ("Share of peak compute", 0.05, 1.0, 0.01, ".0%"),
    "bandwidth_efficiency": ("Share of peak bandwidth", 0.05, 1.0, 0.01, ".0%"),
    "overhead_seconds": ("Overhead per pass, s", 0.0, 0.005, 0.00005, ".5f"),
}
CATALOGUES = {
    "model": ("Model", MODELS, LLAMA_3_8B.name),
    "accelerator": ("Accelerator", ACCELERATORS, H100.name),
}


@dataclass(frozen=True)
class Choice:
    """A control with named settings: `options` maps what the reader sees to the argument's value."""

    argument: str
    label: str
    options: dict
    start: str
    ordered: bool


@dataclass(frozen=True)
class Number:
    """A control for a number between `least` and `largest`; `readout` is how it is written."""

    argument: str
    label: str
    least: float
    largest: float
    step: float
    readout: str
    start: float


class Live:
    """A workshop's controls, and the picture for any setting of them."""

    def __init__(self, workshop):
        unknown = set(workshop.live) - set(FIELDS) - set(CATALOGUES)
        if unknown:
            raise ValueError(f"live must hold names of {[*CATALOGUES, *FIELDS]}, not {sorted(unknown)}")
        self.workshop = workshop
        self.controls = [
            Choice(slider.argument, slider.label, slider.live_stops, slider.start, ordered=True)
            for slider in workshop.sliders
        ]
        base = next((c.options[c.start] for c in self.controls if c.argument == "assumptions"), PLATE)
        for argument in workshop.live:
            if argument in CATALOGUES:
                label, catalogue, start = CATALOGUES[argument]
                self.controls.append(Choice(argument, label, dict(catalogue), start, ordered=False))
            else:
                self.controls.append(Number(argument, *FIELDS[argument], start=getattr(base, argument)))

    def follow(self, assumptions):
        """The fields that the reader can set, as they are in `assumptions`: what a newly chosen base sets them to."""
        return {field: getattr(assumptions, field) for field in FIELDS if field in self.workshop.live}

    def picture(self, settings):
        """The picture for `settings`: argument → value, fields of `Assumptions` among them."""
        settings = dict(settings)
        fields = {field: settings.pop(field) for field in FIELDS if field in settings}
        if fields:
            settings["assumptions"] = dataclasses.replace(settings.get("assumptions", PLATE), **fields)
        return self.workshop.figure(**settings)


def view(workshop):
    """An ipywidgets box with the workshop's controls and its figure, redrawn whenever one of them moves."""
    import ipywidgets as widgets

    live = Live(workshop)
    controls = {control.argument: _widget(control, widgets) for control in live.controls}
    picture = widgets.HTML()

    def redraw(_=None):
        drawn = live.picture({argument: control.value for argument, control in controls.items()})
        picture.value = drawn.html() + NOTEBOOK_STYLE

    def follow(change):
        with contextlib.ExitStack() as quiet:
            for field, value in live.follow(change["new"]).items():
                controls[field].unobserve(redraw, names="value")
                quiet.callback(controls[field].observe, redraw, names="value")
                controls[field].value = value

    if "assumptions" in controls:
        controls["assumptions"].observe(follow, names="value")
    for control in controls.values():
        control.observe(redraw, names="value")
    redraw()
    return widgets.VBox([*controls.values(), picture])


def _widget(control, widgets):
    look = {
        "_dom_classes": ("workshop-control",),
        "description": control.label,
        "style": {"description_width": "13em"},
        "layout": widgets.Layout(width="min(36rem, 98%)"),
    }
    if isinstance(control, Number):
        return widgets.FloatSlider(
            value=control.start,
            min=control.least,
            max=control.largest,
            step=control.step,
            readout_format=control.readout,
            **look,
        )
    kind = widgets.SelectionSlider if control.ordered else widgets.Dropdown
    return kind(options=list(control.options.items()), value=control.options[control.start], **look)

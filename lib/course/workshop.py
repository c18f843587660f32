"""A workshop: a figure with sliders that show what they say, with a kernel or without.

Without a kernel the page holds a frame for each stop, drawn by the same figure function and committed with the
notebook; `book/_static/workshop.js` shows the one that the sliders name, and without a script they stand in order.
With a kernel it is an ipywidgets view that calls the figure function for every value, with more of them to set.
"""

import dataclasses
import itertools
import json
import os
import sys
from dataclasses import dataclass
from html import escape

from costmodel import ACCELERATORS, MODELS

from .output import glue


@dataclass(frozen=True)
class Slider:
    """One argument of a figure function as a slider.

    argument: its name. label: what the reader sees. stops: what each stop is called → the argument's value.
    start: the stop at which the slider stands at first. live: all stops of the live view, where they are finer.
    """

    argument: str
    label: str
    stops: dict
    start: str
    live: dict | None = None

    def __post_init__(self):
        for stops in (self.stops, self.live):
            if stops is not None and self.start not in stops:
                raise ValueError(f"start must be one of the stops {list(stops)}, not {self.start!r}")


@dataclass(frozen=True)
class Workshop:
    """A figure function and the sliders that set its arguments.

    name: unique in the book. figure: a function that returns a `Picture`. sliders: one or two.
    fixed: further arguments, the same for every frame. live: what only the live view can set besides: any of
    "model" and "accelerator" (from the catalogues) and the names of numeric fields of `Assumptions`.
    """

    name: str
    figure: callable
    sliders: tuple[Slider, ...]
    fixed: dict = dataclasses.field(default_factory=dict)
    live: tuple[str, ...] = ()

    def frames(self):
        """Every combination of stops in order: the index of each slider's stop → the picture."""
        for stops in itertools.product(*(enumerate(slider.stops.values()) for slider in self.sliders)):
            yield tuple(index for index, _ in stops), self.picture(*(value for _, value in stops))

    def picture(self, *values, **arguments):
        """The picture for one value of each slider."""
        chosen = {slider.argument: value for slider, value in zip(self.sliders, values, strict=True)}
        return self.figure(**self.fixed | chosen | arguments)

    def html(self):
        """The workshop of the static page: the sliders, the frame at which they start, and all the others."""
        start = tuple(list(slider.stops).index(slider.start) for slider in self.sliders)
        first, others = "", []
        for stop, picture in self.frames():
            names = (list(slider.stops)[index] for slider, index in zip(self.sliders, stop, strict=True))
            picture = dataclasses.replace(picture, name=f"{self.name}-{'-'.join(map(str, stop))}")
            heading = ", ".join(f"{slider.label}: {name}" for slider, name in zip(self.sliders, names, strict=True))
            frame = (
                f'<div class="frame" data-stop="{",".join(map(str, stop))}">'
                f'<p class="frame-stop">{escape(heading)}</p>{picture.html()}</div>'
            )
            if stop == start:
                first = frame
            else:
                others.append(frame)
        sliders = "".join(map(self._slider_html, self.sliders, start))
        return (
            f'<div class="workshop" data-workshop="{self.name}">'
            f'<div class="workshop-controls" hidden>{sliders}</div>'
            f'<div class="workshop-stage">{first}</div>'
            f'<details class="workshop-frames"><summary>The other {len(others)} settings, in order</summary>'
            f"{''.join(others)}</details></div>"
        )

    def _slider_html(self, slider, start):
        identifier = f"{self.name}-{slider.argument}"
        return (
            f'<div class="workshop-slider"><label for="{identifier}">{escape(slider.label)}</label>'
            f'<input type="range" id="{identifier}" min="0" max="{len(slider.stops) - 1}" step="1" value="{start}" '
            f'aria-valuetext="{escape(slider.start)}" data-labels="{escape(json.dumps(list(slider.stops)))}">'
            f'<output for="{identifier}">{escape(slider.start)}</output></div>'
        )

    def _repr_mimebundle_(self, include=None, exclude=None):
        start = self.picture(*(slider.stops[slider.start] for slider in self.sliders))
        html = start.html() if _someone_watches() else self.html()
        bundle = {"text/html": html, "text/plain": start.alt}
        if _has_kernel():
            bundle |= self.view()._repr_mimebundle_() or {}
            bundle["text/plain"] = start.alt
        return bundle, glue(self.name)

    def view(self):
        """The live view: an ipywidgets box whose controls redraw the figure in Python."""
        import ipywidgets as widgets

        wide = {"style": {"description_width": "12em"}, "layout": widgets.Layout(width="min(36rem, 98%)")}
        sliders = [
            widgets.SelectionSlider(
                description=slider.label,
                options=list((slider.live or slider.stops).items()),
                value=(slider.live or slider.stops)[slider.start],
                **wide,
            )
            for slider in self.sliders
        ]
        extra = {argument: _control(argument, wide) for argument in self.live}
        by_argument = dict(zip((slider.argument for slider in self.sliders), sliders, strict=True)) | extra
        picture = widgets.HTML()

        def follow(base):
            """Set the fields of the assumptions to those of the chosen base."""
            for field in set(extra) & set(_FIELDS):
                extra[field].value = getattr(base, field)

        def redraw(_=None):
            values = {argument: control.value for argument, control in by_argument.items()}
            fields = {field: values.pop(field) for field in set(values) & set(_FIELDS)}
            if fields:
                values["assumptions"] = dataclasses.replace(values["assumptions"], **fields)
            picture.value = self.figure(**self.fixed | values).html()

        if "assumptions" in by_argument:
            follow(by_argument["assumptions"].value)
            by_argument["assumptions"].observe(lambda change: follow(change["new"]), names="value")
        for control in by_argument.values():
            control.observe(redraw, names="value")
        redraw()
        return widgets.VBox([*by_argument.values(), picture])


# numeric fields of `Assumptions`: label, least, largest, step, format of the readout
_FIELDS = {
    "compute_efficiency": ("Share of peak compute", 0.05, 1.0, 0.01, ".0%"),
    "bandwidth_efficiency": ("Share of peak bandwidth", 0.05, 1.0, 0.01, ".0%"),
    "overhead_seconds": ("Seconds per pass", 0.0, 0.005, 0.00005, ".5f"),
}
_CATALOGUES = {"model": ("Model", MODELS), "accelerator": ("Accelerator", ACCELERATORS)}


def _control(argument, wide):
    import ipywidgets as widgets

    if argument in _CATALOGUES:
        label, catalogue = _CATALOGUES[argument]
        return widgets.Dropdown(description=label, options=list(catalogue.items()), **wide)
    label, least, largest, step, readout = _FIELDS[argument]
    return widgets.FloatSlider(description=label, min=least, max=largest, step=step, readout_format=readout, **wide)


def _someone_watches():
    """Whether a Jupyter server or the browser runs this notebook for a reader, who sees the view.

    Drawing every frame would only make them wait; wherever that is not known, the frames are drawn.
    """
    return "JPY_SESSION_NAME" in os.environ or sys.platform == "emscripten"


def _has_kernel():
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")

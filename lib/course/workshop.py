"""A workshop: a figure with sliders that show what they say, with a kernel or without.

Without a kernel the page holds a frame for each stop, drawn by the same figure function and committed with the
notebook; `book/_static/workshop.js` shows the one that the sliders name, and without a script they stand in order.
With a kernel (`course.live`) the figure function is called for every value, with more of them to set.
"""

import dataclasses
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from .output import Picture, glue, in_colab, someone_watches

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


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
        for stops in (self.stops, self.live_stops):
            if self.start not in stops:
                raise ValueError(f"start must be one of the stops {list(stops)}, not {self.start!r}")

    @property
    def live_stops(self):
        """The stops of the live view."""
        return self.stops if self.live is None else self.live


@dataclass(frozen=True)
class Workshop:
    """A figure function and the sliders that set its arguments.

    name: unique in the book. figure: a function that returns a `Picture`. sliders: one or two.
    live: what only the live view can set besides: any of "model" and "accelerator" (from the catalogues) and the
    numeric fields of `Assumptions` that `course.live` knows.
    """

    name: str
    figure: Callable[..., Picture]
    sliders: tuple[Slider, ...]
    live: tuple[str, ...] = ()

    def frames(self):
        """Every combination of stops in order: the index of each slider's stop → the picture."""
        for stops in itertools.product(*(enumerate(slider.stops.values()) for slider in self.sliders)):
            yield tuple(index for index, _ in stops), self._picture(value for _, value in stops)

    def first(self):
        """The picture at which the sliders start."""
        return self._picture(slider.stops[slider.start] for slider in self.sliders)

    def _picture(self, values):
        return self.figure(**{slider.argument: value for slider, value in zip(self.sliders, values, strict=True)})

    @property
    def live_has_more(self):
        """Whether the live view can show anything that no frame shows."""
        return bool(self.live) or any(slider.live_stops != slider.stops for slider in self.sliders)

    def html(self):
        """The workshop of the static page: the sliders, the frame at which they start, and all the others."""
        start = tuple(list(slider.stops).index(slider.start) for slider in self.sliders)
        frames = {stop: self._frame_html(stop, picture) for stop, picture in self.frames()}
        first = frames.pop(start)
        sliders = "".join(map(self._slider_html, self.sliders, start))
        figures = f' data-figures="{self.figure.__module__}"' if self.live_has_more else ""
        return (
            f'<div class="workshop" data-workshop="{self.name}"{figures}>'
            f'<div class="workshop-controls" hidden="hidden">{sliders}</div>'
            f'<div class="workshop-stage">{first}</div>'
            f'<details class="workshop-frames"><summary>The other {len(frames)} settings, in order</summary>'
            f"{''.join(frames.values())}</details></div>"
        )

    def _frame_html(self, stop, picture):
        names = (list(slider.stops)[index] for slider, index in zip(self.sliders, stop, strict=True))
        heading = ", ".join(f"{slider.label}: {name}" for slider, name in zip(self.sliders, names, strict=True))
        # a name for each frame, so that no two of them share an id
        picture = dataclasses.replace(picture, name=f"{self.name}-{'-'.join(map(str, stop))}")
        return (
            f'<div class="frame" data-stop="{",".join(map(str, stop))}">'
            f'<p class="frame-stop">{escape(heading)}</p>{picture.html()}</div>'
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
        first = self.first()
        # a reader who has the live view would only wait for every frame to be drawn
        bundle = {"text/html": first.html() if someone_watches() else self.html()}
        if _has_kernel():
            from .live import view

            # as ipywidgets 8 makes it by itself; Colab has 7
            bundle[WIDGET_VIEW] = {"version_major": 2, "version_minor": 0, "model_id": view(self).model_id}
            if in_colab():
                del bundle["text/html"]  # it is not documented which of the two Colab would show
        return bundle | {"text/plain": first.alt}, glue(self.name)


def _has_kernel():
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return hasattr(get_ipython(), "kernel")

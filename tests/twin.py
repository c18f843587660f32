"""A workshop's twin: the same figure function in this process, to hold a live version's figure against."""

import importlib
import time
from dataclasses import dataclass, field

from bs4 import BeautifulSoup

from course.live import Choice, Live

PATIENCE_SECONDS = 60
PATIENCE = PATIENCE_SECONDS * 1000  # as Playwright takes it

# What a figure says in words and numbers, and its drawing.
_SHOWN = """figure => [
  ...['.fig-reading', '.fig-basis'].map(place => figure.querySelector(place)?.textContent ?? ''),
  figure.querySelector('svg').getAttribute('aria-label'),
  [...figure.querySelectorAll('.fig-values :is(th, td)')].map(cell => cell.textContent),
  figure.querySelector('svg').innerHTML,
]"""


@dataclass(frozen=True)
class Shown:
    """A figure as it is shown. Two are equal if they say the same: drawings may differ in bytes, never in numbers."""

    reading: str
    basis: str
    alt: str
    values: list
    drawing: str = field(compare=False, repr=False)


class Twin:
    """The settings of a workshop, and its figure at them. `figures` is the module of its figure function."""

    def __init__(self, figures):
        self.live = Live(importlib.import_module(figures).workshop())
        self.controls = self.live.controls
        self.values = {
            control.argument: control.options[control.start] if isinstance(control, Choice) else control.start
            for control in self.controls
        }
        self.figure = self._draw()
        self.changes = True

    def set(self, control, setting):
        """Set a control: to the option of this index, or to this number."""
        value = list(control.options.values())[setting] if isinstance(control, Choice) else setting
        self.values[control.argument] = value
        if control.argument == "assumptions":
            self.values |= self.live.follow(value)
        before, self.figure = self.figure, self._draw()
        self.changes = self.figure.drawing != before.drawing

    def _draw(self):
        html = BeautifulSoup(self.live.picture(self.values).html(), "html.parser")
        reading, basis = (
            each.get_text() if (each := html.select_one(place)) else "" for place in (".fig-reading", ".fig-basis")
        )
        values = [cell.get_text() for cell in html.select(".fig-values :is(th, td)")]
        return Shown(reading, basis, html.svg["aria-label"], values, str(html.svg))

    def moves(self, control):
        """Settings to try: the largest, the least, and one between; where live stops are finer, one of them."""
        if not isinstance(control, Choice):
            return [control.largest, control.least, control.least + control.step]
        static = {slider.argument: slider.stops for slider in self.live.workshop.sliders}.get(control.argument, ())
        finer = [index for index, name in enumerate(control.options) if name not in static]
        return dict.fromkeys([len(control.options) - 1, 0, *(finer[:1] or [1])])

    def wait(self, figure, last=None):
        """Wait until the locator `figure` says the same; gives what it shows.

        last: what it showed before the last `set`. If that changed the drawing here, it has to change there.
        """
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            shown = Shown(*figure.evaluate(_SHOWN))
            redrawn = last is None or not self.changes or shown.drawing != last.drawing
            if redrawn and shown == self.figure:
                return shown
            if time.monotonic() > end:
                assert shown == self.figure
                raise AssertionError("the drawing did not change")
            time.sleep(0.02)

"""How a figure becomes a notebook's output: one place for format, theme, alt text, assumptions and values."""

import io
import os
import re
import sys
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import matplotlib

from .style import COLOURS, DARK_COLOURS, RC
from .words import count, significant


@dataclass(frozen=True)
class Picture:
    """A drawn figure with everything that a reader may want of it in words and numbers.

    name: unique in the book; other pages can show the figure by it (`glue`).
    alt: what the figure shows, made from the plotted values.
    values: the plotted values, column by column: heading → numbers or strings.
    basis: what the numbers rest on: model, accelerator, assumptions.
    reading: one sentence that says what the figure shows at its present setting, if it has one.
    """

    name: str
    figure: "matplotlib.figure.Figure" = field(repr=False)
    alt: str
    values: dict
    basis: str
    reading: str = ""

    def __post_init__(self):
        lengths = {heading: len(column) for heading, column in self.values.items()}
        if len(set(lengths.values())) != 1:
            raise ValueError(f"values must have columns of one length, not {lengths}")

    def html(self):
        """The figure as it stands in a page: reading, drawing, basis and values."""
        reading = f'<p class="fig-reading">{escape(self.reading)}</p>' if self.reading else ""
        return (
            f'<div class="fig">{UNRUN}{reading}<div class="fig-drawing" hidden="hidden">{self.svg()}</div>'
            f'<p class="fig-basis">{escape(self.basis)}</p>'
            f'<details class="fig-values"><summary>The plotted values</summary>{self._table()}</details></div>'
        )

    def svg(self):
        """The drawing as inline SVG, byte-identical on every run, whose colours follow the page's theme."""
        buffer = io.StringIO()
        with matplotlib.rc_context(RC | {"svg.hashsalt": self.name}):
            metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
            self.figure.savefig(buffer, format="svg", metadata=metadata)
        svg = re.sub(r"^.*?(?=<svg)", "", buffer.getvalue(), flags=re.DOTALL)
        svg = re.sub(r"<metadata>.*?</metadata>|<defs>\s*<style.*?</defs>", "", svg, flags=re.DOTALL)
        # ids such as axes_1 would stand twice in a page with two figures; nothing refers to them
        svg = re.sub(r'<g id="[^"]*"', "<g", svg)
        # a hundredth of a point is finer than any screen, and half the size
        svg = re.sub(r' (?:d|x|y|transform)="[^"]*"', _to_hundredths, svg)
        svg = re.sub(
            r'<svg[^>]*?(viewBox="[^"]*")[^>]*>',
            lambda match: (
                f'<svg role="img" aria-label="{escape(self.alt)}" {match[1]} '
                'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
                'style="display:block;width:100%;height:auto;max-width:36rem;margin:auto;stroke-linejoin:round">'
            ),
            svg,
            count=1,
        )
        for role, colour in COLOURS.items():
            svg = svg.replace(colour, f"var(--fig-{role}, {colour})")
        return re.sub(r"\n\s*", "\n", svg).strip()

    def _table(self):
        head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in self.values)
        rows = zip(*self.values.values(), strict=True)
        body = "".join("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _repr_mimebundle_(self, include=None, exclude=None):
        style = NOTEBOOK_STYLE if someone_watches() else ""
        return {"text/html": self.html() + style, "text/plain": self.alt}, glue(self.name)


# Where Jupyter does not trust a notebook, it takes the drawing and this style away, and would leave the drawing's
# letters: there the sentence is seen, and what holds the drawing is not.
UNRUN = (
    "<style>.fig .fig-drawing {display: block !important} .fig .fig-unrun {display: none}</style>"
    '<p class="fig-unrun">Run this cell to see the figure.</p>'
)

# A live notebook has no style sheet of ours: it brings along the dark colours, for JupyterLab's dark theme and Colab's,
# and how words and controls stand.
NOTEBOOK_STYLE = (
    "<style>[data-jp-theme-light='false'] .fig, [theme='dark'] .fig {"
    + "".join(f"--fig-{role}: {colour};" for role, colour in DARK_COLOURS.items())
    + "}\n"
    + Path(__file__).with_name("notebook.css").read_text(encoding="utf-8")
    + "</style>"
)


def someone_watches():
    """Whether a Jupyter server, Colab or the browser runs this notebook for a reader, who sees what is live."""
    return "JPY_SESSION_NAME" in os.environ or in_colab() or sys.platform == "emscripten"


def in_colab():
    """Whether Colab runs this notebook."""
    return "google.colab" in sys.modules


def _to_hundredths(attribute):
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", attribute[0])


def glue(name):
    """Output metadata by which `{glue:any}` on another page finds this output. Needs nothing of MyST-NB here."""
    return {"scrapbook": {"name": name, "mime_prefix": ""}}


def _cell(value):
    if isinstance(value, str):
        return escape(value)
    return count(value) if float(value).is_integer() else significant(value, 4)

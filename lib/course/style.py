"""The one visual language of the course: a colour for each role, and how every figure is drawn.

A role keeps its colour on every page. Figures are drawn in the light theme's colours; in a dark theme each role has
another, under the same name (`--fig-compute`, …): from `book/_static/figures.css`, or in a live notebook from here.
"""

import functools
import logging
import math
from types import MappingProxyType

import matplotlib
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

COLOURS = MappingProxyType(
    {
        # what limits
        "compute": "#c2410c",
        "memory": "#0b62a8",
        # what is moved, and what neither limit explains
        "weights": "#5b4bb5",
        "kv": "#00796b",
        "overhead": "#6b6b6b",
        # requests
        "a": "#b0307a",
        "b": "#8f6400",
        "c": "#3f6212",
        # everything else
        "ink": "#1c1c1c",
        "muted": "#5c5c5c",
        "grid": "#dcdcdc",
        "paper": "#fefefe",
    }
)

DARK_COLOURS = MappingProxyType(
    {
        "compute": "#ff9f6b",
        "memory": "#7cc0ff",
        "weights": "#b9a8ff",
        "kv": "#4fd1b8",
        "overhead": "#a8a8a8",
        "a": "#f291c7",
        "b": "#e3b341",
        "c": "#a5cf6b",
        "ink": "#e6e6e6",
        "muted": "#b0b0b0",
        "grid": "#3a3f47",
        "paper": "#121212",
    }
)

# Drawn at phone width with letters of body size; wide screens scale the whole figure up.
WIDTH_INCHES = 4.6

RC = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.labelsize": 10,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "figure.constrained_layout.use": True,
    "text.color": COLOURS["ink"],
    "axes.labelcolor": COLOURS["ink"],
    "axes.titlecolor": COLOURS["ink"],
    "axes.titlelocation": "left",
    "xtick.color": COLOURS["muted"],
    "ytick.color": COLOURS["muted"],
    "axes.edgecolor": COLOURS["muted"],
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": COLOURS["grid"],
    "grid.linewidth": 0.7,
    "lines.linewidth": 2,
    "lines.solid_capstyle": "round",
    # letters stay text: small files, selectable, and they follow the reader's zoom
    "svg.fonttype": "none",
    "axes.formatter.use_mathtext": False,
}


def drawn_in_style(figure_function):
    """A figure function that draws in the course's style and leaves matplotlib's settings as they were."""

    @functools.wraps(figure_function)
    def draw(*arguments, **keywords):
        # matplotlib reports the making of its font cache as a warning; to a reader it looks like a fault
        logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
        with matplotlib.rc_context(RC):
            return figure_function(*arguments, **keywords)

    return draw


def canvas(height_inches=3.0, rows=1, columns=1, **options):
    """A figure of the course's width and its axes, as `Figure.subplots` gives them."""
    # Imported here, in a figure function: this import reads the fonts, and `drawn_in_style` silences what it reports.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_INCHES, height_inches))
    return figure, figure.subplots(rows, columns, **options)


def log_ticks(axis, values, labels=None):
    """Ticks of a logarithmic axis at `values` alone, labelled in full: 1,024 rather than a power."""
    axis.set_major_locator(FixedLocator(list(values)))
    axis.set_major_formatter(FixedFormatter(list(labels or (f"{value:,.10g}" for value in values))))
    axis.set_minor_locator(NullLocator())


def label(axes, x, y, text, role, **options):
    """`text` where a line or a marker runs, in the colour of its role."""
    return axes.text(x, y, text, color=COLOURS[role], fontsize=9, **options)


def marker(axes, x, y, role, **options):
    """A point that stands out on its curve."""
    return axes.plot([x], [y], "o", color=COLOURS[role], markersize=8, markeredgecolor=COLOURS["paper"], **options)


def box(axes, x, y, width, height, role, text="", fill=1.0, **options):
    """A rectangle in the colour of its role, its lower left corner at (x, y), with `text` in its middle.

    fill: from 1, a solid box with light letters, to 0, an outline with dark ones.
    """
    colour = COLOURS[role]
    axes.add_patch(Rectangle((x, y), width, height, facecolor=(*to_rgb(colour), fill), edgecolor=colour, **options))
    letters = COLOURS["paper"] if fill > 0.5 else COLOURS["ink"]
    axes.text(x + width / 2, y + height / 2, text, color=letters, ha="center", va="center_baseline")


def no_axes(axes, left, right, bottom, top):
    """Axes as a sheet of paper from (left, bottom) to (right, top), without ticks and grid."""
    axes.set(xlim=(left, right), ylim=(bottom, top))
    axes.axis("off")


def decades(values):
    """The whole powers of ten around `values`, lowest and highest, as limits of a logarithmic axis.

    A changed coefficient then moves the curve, and not only the labels of the axis.
    """
    return 10.0 ** math.floor(math.log10(np.min(values))), 10.0 ** math.ceil(math.log10(np.max(values)))


def with_turns(sweep, bound, held=()):
    """`sweep`, and the counts between which a curve over it changes its look, so that it does so where it should.

    sweep: ascending counts. bound: what limits at 1, 2, 3, … up to the last of them, along the last axis.
    held: the largest counts that fit in memory.
    """
    before = np.concatenate((1 + np.nonzero(bound[..., 1:] != bound[..., :-1])[-1], np.ravel(held)))
    counts = np.unique([*sweep, *before, *(before + 1)]).astype(int)
    return counts[(counts >= sweep[0]) & (counts <= sweep[-1])]


def by_limit(axes, x, y, bound, fits, **options):
    """A curve in the colour of what limits, "compute" or "memory"; dotted where it would not fit in memory."""
    for limit in ("compute", "memory"):
        for style, held in (("-", fits), (":", ~fits)):
            shown = (bound == limit) & held
            shown[1:] |= shown[:-1]  # a stretch takes the look of the point at which it begins
            if shown.any():
                axes.plot(x, np.where(shown, y, np.nan), color=COLOURS[limit], linestyle=style, **options)


def name_limits(axes, x, bound, words=True):
    """Shade where memory and where compute limits, memory first along `x`, and write so above the axes."""
    compute = bound == "compute"
    left, right = axes.get_xlim()
    knee = left if compute[0] else x[np.argmax(compute)] if compute.any() else right
    for limit, start, end, side in (("memory", left, knee, 0), ("compute", knee, right, 1)):
        if start < end:
            axes.axvspan(start, end, color=COLOURS[limit], alpha=0.07, linewidth=0)
            place = {"transform": axes.transAxes, "ha": ("left", "right")[side], "va": "bottom"}
            if words:
                axes.text(side, 1.02, f"{limit}-bound", color=COLOURS[limit], **place)

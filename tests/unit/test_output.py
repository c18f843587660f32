"""Figures as outputs, numbers as words, answers as verdicts."""

import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from costmodel import ACCELERATORS, H100, LLAMA_3_8B, MODELS, PLATE
from course.check import check
from course.output import NOTEBOOK_STYLE, Picture
from course.style import COLOURS, DARK_COLOURS, canvas, drawn_in_style, label, log_ticks, marker, with_turns
from course.words import (
    basis,
    count,
    duration,
    holds_none,
    milliseconds,
    percent,
    rate,
    significant,
    tick,
    told_apart,
)

STYLE_SHEET = Path(__file__).parents[2] / "book" / "_static" / "figures.css"


@drawn_in_style
def drawn(height=0.5, alt="A < B & 3.14159", **more):
    figure, axes = canvas(1.5)
    axes.plot([1, 1024], [0, height], color=COLOURS["compute"])
    axes.set(xscale="log", ylim=(0, 1), xlabel="x")
    log_ticks(axes.xaxis, [1, 1024])
    marker(axes, 1, height, "memory")
    label(axes, 1, height, "0.12345 ms", "kv")
    values = {"x": [1, 1024], "y": [0, height]}
    return Picture(**{"name": "drawn", "figure": figure, "alt": alt, "values": values, "basis": "basis"} | more)


def test_the_drawing_is_the_same_on_every_run_and_changes_with_its_values():
    assert drawn().svg() == drawn().svg()
    assert drawn().svg() != drawn(height=0.51).svg()


def test_every_colour_of_a_role_follows_the_theme():
    svg = drawn().svg()
    for role in ("compute", "memory", "kv", "ink", "muted", "grid", "paper"):
        assert f"var(--fig-{role}, {COLOURS[role]})" in svg
    colours = set(re.findall(r"#[0-9a-f]{6}", re.sub(r"var\(--fig-\w+, #[0-9a-f]{6}\)", "", svg)))
    assert colours <= {"#000000"}


@pytest.mark.parametrize("theme, palette", [(":root", COLOURS), ('html[data-theme="dark"]', DARK_COLOURS)])
def test_the_style_sheet_knows_every_role(theme, palette):
    block = re.search(re.escape(theme) + r" \{(.*?)\}", STYLE_SHEET.read_text(), re.DOTALL)[1]
    assert dict(re.findall(r"--fig-(\w+): (#[0-9a-f]{6});", block)) == dict(palette)


def test_a_live_notebook_brings_the_dark_colours_along_and_a_page_does_not(monkeypatch):
    assert drawn()._repr_mimebundle_()[0]["text/html"] == drawn().html()
    monkeypatch.setenv("JPY_SESSION_NAME", "a notebook")
    assert drawn()._repr_mimebundle_()[0]["text/html"] == drawn().html() + NOTEBOOK_STYLE
    assert f"--fig-ink: {DARK_COLOURS['ink']};" in NOTEBOOK_STYLE


def test_alt_text_and_letters_are_kept_to_the_last_digit():
    html = drawn().html()
    assert 'aria-label="A &lt; B &amp; 3.14159"' in html
    assert ">0.12345 ms</text>" in html
    assert not re.search(r' d="[^"]*\d\.\d{3}', html)


def test_the_values_stand_in_a_table():
    html = drawn().html()
    assert '<th scope="col">x</th><th scope="col">y</th>' in html
    assert "<tr><td>1,024</td><td>0.5000</td></tr>" in html


@pytest.mark.parametrize(
    ("value", "written"),
    [("A & B", "A &amp; B"), (131072, "131,072"), (28.0, "28"), (10272.4, "10,272"), (9.7656e-5, "0.00009766")],
)
def test_values_are_written_in_one_notation(value, written):
    assert f"<td>{written}</td>" in drawn(values={"x": [value]}).html()


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"values must have columns of one length, not \{'x': 1, 'y': 2\}"):
        drawn(values={"x": [1], "y": [1, 2]})


def test_drawing_leaves_matplotlib_as_it_was():
    before = matplotlib.rcParams.copy()
    drawn().html()
    assert matplotlib.rcParams.copy() == before


def test_importing_the_course_changes_nothing():
    code = """
import logging, sys, warnings
import matplotlib
before = matplotlib.rcParams.copy(), list(warnings.filters)
import course.figures.time_per_token, course.live
assert (matplotlib.rcParams.copy(), list(warnings.filters)) == before
assert logging.getLogger("matplotlib.font_manager").level == logging.NOTSET
assert not {"ipywidgets", "matplotlib.pyplot"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *[(0, "0"), (6.2, "6.20"), (0.0277134, "0.0277"), (28.378, "28.4"), (225.2, "225")],
        *[(999.6, "1,000"), (1234.5, "1,234"), (-0.5, "-0.500")],
    ],
)
def test_three_significant_digits(value, written):
    assert significant(value) == written


def test_counts_and_milliseconds():
    assert count(131072) == "131,072"
    assert milliseconds(0.0062417) == "6.24 ms"


@pytest.mark.parametrize(
    ("write", "value", "written"),
    [
        *[(milliseconds, 11.137, "11,137 ms"), (milliseconds, 99.94, "99,940 ms"), (milliseconds, 564.923, "565 s")],
        *[(duration, 0.9994, "999 ms"), (duration, 0.9996, "1.00 s"), (duration, 2459.4, "2,459 s")],
        *[(rate, 1.6394, "1.64"), (rate, 0.0214, "0.0214"), (rate, 9.996, "10"), (rate, 31.4, "31")],
        *[(rate, 20425.6, "20,426"), (percent, 0.0023, "0.23%"), (percent, 0.994, "99%"), (percent, 1, "100%")],
        *[(percent, 0.9996, "over 99%"), (percent, 1e-7, "0.000010%")],
        *[(tick, 0, "0"), (tick, 2.5, "2.5"), (tick, 3500.0, "3,500"), (tick, 1e7, "10,000,000")],
    ],
)
def test_a_quantity_is_written_to_what_can_be_read(write, value, written):
    assert write(value) == written


def test_only_the_whole_is_100_percent():
    assert [percent(share, 3) for share in (0.9994, 0.9996, 1.0)] == ["99.9%", "over 99.9%", "100%"]


@pytest.mark.parametrize(
    ("sizes", "written"),
    [
        ((84.3, 80.0), ("84", "80")),
        ((141.107, 141.0), ("141.1", "141.0")),
        ((16.0004, 16.0), ("16.0004", "16.0000")),
        ((1055.2, 80.0), ("1,055", "80")),
    ],
)
def test_sizes_that_differ_are_written_so(sizes, written):
    assert told_apart(*sizes) == written


def test_the_basis_says_where_the_weights_do_not_fit():
    large, small = MODELS["Llama 3 70B"], ACCELERATORS["L4"]
    assert basis(PLATE, LLAMA_3_8B, H100) == f"Llama 3 8B on one H100 SXM. Estimate: {PLATE}."
    assert basis(PLATE, large, small).endswith(" The weights, 141 GB, do not fit in its memory, 24 GB.")
    assert basis(PLATE, large, ACCELERATORS["H200 SXM"]).endswith(" 141.1 GB, do not fit in its memory, 141.0 GB.")


def test_a_memory_that_holds_no_request_is_told_from_one_that_does_not_hold_the_weights():
    assert holds_none(MODELS["Llama 3 70B"], H100) == "Memory does not hold the weights."
    assert holds_none(LLAMA_3_8B, H100) == "Memory does not hold a single request."


def test_a_curve_turns_at_the_exact_counts():
    bound = np.where(np.arange(1, 1001) < 222, "memory", "compute")
    assert with_turns([1, 10, 1000], bound, held=426).tolist() == [1, 10, 221, 222, 426, 427, 1000]
    assert with_turns([1, 10, 1000], bound, held=[0, 2**40]).tolist() == [1, 10, 221, 222, 1000]


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (None, "No answer yet: put yours in place of None and run the cell again."),
        (6.24, "Right: 6.25 ms."),
        (6.0, "Not 6: that is less than it should be."),
        (7, "Not 7: that is more than it should be."),
    ],
)
def test_an_answer_is_checked(answer, verdict):
    assert repr(check(answer, lambda: 6.25, "ms")) == verdict


def test_a_count_is_written_as_a_count():
    assert repr(check(29, lambda: 29, "positions")) == "Right: 29 positions."
    assert repr(check(131072, lambda: 131072, "bytes")) == "Right: 131,072 bytes."


def test_words_are_compared_too():
    assert repr(check("memory", lambda: "memory")) == "Right: memory."
    assert repr(check("compute", lambda: "memory")) == "Not 'compute'. Think again."


@pytest.mark.parametrize("answer", ["6.25", True, [6.25]])
def test_an_answer_of_another_kind_is_an_error(answer):
    with pytest.raises(TypeError, match="answer must be a number of ms, not "):
        check(answer, lambda: 6.25, "ms")

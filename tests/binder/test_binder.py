"""Binder makes its image from requirements.txt and runtime.txt, and every notebook runs in it and moves."""

import json
import time

import pytest
from browsing import not_of_myst
from built_site import figure_modules
from image import ROOT
from lab import Lab, drawing, numbers

from course.live import Choice, Live

NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
every_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS)


def test_the_image_is_made_of_requirements_and_runtime_alone(image):
    assert image.recipe["pack"] == "PythonBuildPack"
    assert f"python-{image.recipe['python']}" == (ROOT / "runtime.txt").read_text().strip()
    pip = "${KERNEL_PYTHON_PREFIX}/bin/pip install --no-cache-dir"
    assert image.recipe["steps"] == [f'{pip} -r "requirements.txt"', f"{pip} ."]
    assert image.recipe["start"] == [[], None]


@every_notebook
def test_the_buttons_lead_to_the_repository_that_the_book_is_built_from(launches, notebook):
    path = f"notebooks/{notebook}.ipynb"
    assert launches[notebook] == {
        "mybinder.org": ("/v2/gh/teacher/fork/main", {"urlpath": [f"lab/tree/{path}"]}),
        "colab.research.google.com": (f"/github/teacher/fork/blob/main/{path}", {}),
    }


def workshops(notebook):
    """The workshops of a committed notebook."""
    modules = figure_modules(f"notebooks/{notebook}")
    return [__import__(module, fromlist="workshop").workshop() for module in modules]


@pytest.fixture
def lab(browser, server, launches, notebook):
    lab = Lab(browser, server, launches[notebook]["mybinder.org"][1]["urlpath"][0])
    yield lab
    lab.close()


@every_notebook
def test_a_notebook_runs_and_every_control_moves_its_picture(lab, notebook):
    assert lab.path == f"notebooks/{notebook}.ipynb"
    cells = lab.run()
    assert [cell["count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"] == []

    for workshop in workshops(notebook):
        lab.show_workshop()
        live = Live(workshop)
        settings = {control.argument: start(control) for control in live.controls}
        assert numbers(lab.picture()) == numbers(live.picture(settings).html())
        for control, widget in zip(live.controls, lab.controls(), strict=True):
            before = lab.picture()
            value = move(lab, control, widget, settings[control.argument])
            settings |= {control.argument: value} | (live.follow(value) if control.argument == "assumptions" else {})
            await_numbers(lab, numbers(live.picture(settings).html()))
            assert drawing(lab.picture()) != drawing(before), f"{control.label} leaves the picture as it was"
    assert not_of_myst(lab.troubles) == []


def start(control):
    return control.options[control.start] if isinstance(control, Choice) else control.start


def move(lab, control, widget, now):
    """Move a control from the value `now` to a neighbouring one, and give that."""
    if isinstance(control, Choice):
        values = list(control.options.values())
        index = values.index(now)
        forward = index + 1 < len(values)
        value = values[index + 1 if forward else index - 1]
        if not control.ordered:
            widget.locator("select").select_option(list(control.options)[values.index(value)])
            return value
    else:
        forward = now + control.step <= control.largest
        value = now + control.step if forward else now - control.step
    lab.press(widget, "ArrowRight" if forward else "ArrowLeft")
    return value


def await_numbers(lab, expected):
    """Wait until the figure says what is expected of it."""
    for _ in range(100):
        if numbers(lab.picture()) == expected:
            return
        lab.page.wait_for_timeout(100)
    assert numbers(lab.picture()) == expected


COUNT_REDRAWS = """
import time
from course.live import Live
starts, draw = [], Live.picture
def picture(self, settings):
    starts.append(time.time())
    return draw(self, settings)
Live.picture, answer = picture, None
"""


@pytest.mark.parametrize("notebook", ["06_time_per_token"])
def test_while_a_slider_is_dragged_at_most_one_redraw_waits(lab, notebook):
    lab.run()
    lab.show_workshop()
    live = Live(workshops(notebook)[0])
    settings = {control.argument: start(control) for control in live.controls}
    place = list(settings).index("compute_efficiency")
    control, slider = live.controls[place], lab.controls()[place]
    lab.execute(COUNT_REDRAWS)
    lab.drag(slider, moves=30, share=30 * control.step / (control.largest - control.least))
    stopped = time.time()
    settings["compute_efficiency"] = control.start + 30 * control.step
    await_numbers(lab, numbers(live.picture(settings).html()))
    starts = json.loads(lab.execute("answer = starts"))
    # the one that was sent when the last move came, and the one that waited for it
    assert 2 <= len(starts) <= 30
    assert sum(moment > stopped for moment in starts) <= 2

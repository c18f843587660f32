"""Binder makes its image from requirements.txt and runtime.txt, and every notebook runs in it and moves."""

import pytest
from built_site import ROOT
from lab import Notebook, check_one_redraw_waits, check_runs_and_recomputes

# What JupyterLab and its extension for MyST bring by themselves: the extension looks for references in the notebook
# alone, not in the book around it, and JupyterLab's toolbar of a cell does not find its own Markdown there. Where
# JupyterLab takes cells that are out of sight out of the page, it now and then finds their order wrong, and goes on.
KNOWN = (
    "Cross reference target was not found",
    "Cannot read properties of undefined (reading 'node')",
    "Inconsistent dataset index",
)


@pytest.fixture
def launch(visit, server, launches):
    """Opens a notebook where the button of its page leads; without any trouble until the test is over."""
    opened = []

    def press(notebook):
        (path,) = launches[notebook]["mybinder.org"][1]["urlpath"]
        # without what another notebook has left open
        lab = Notebook(visit(f"{server}/{path}?reset", until="load", bad_news=("error",)))
        opened.append(lab)
        assert lab.path == f"{notebook}.ipynb"
        return lab

    yield press
    for lab in opened:
        lab.shut_down()
        assert [it for it in lab.page.troubles if not any(known in it for known in KNOWN)] == []


def test_the_image_is_made_of_requirements_and_runtime_alone(image):
    assert image.recipe["pack"] == "PythonBuildPack"
    assert f"python-{image.recipe['python']}" == (ROOT / "runtime.txt").read_text().strip()
    pip = "${KERNEL_PYTHON_PREFIX}/bin/pip install --no-cache-dir"
    assert image.recipe["steps"] == [f'{pip} -r "requirements.txt"', f"{pip} ."]
    assert image.recipe["start"] == [[], None]


def test_the_buttons_lead_to_the_repository_that_the_book_is_built_from(launches, notebook):
    path = f"{notebook}.ipynb"
    assert launches[notebook] == {
        "mybinder.org": ("/v2/gh/teacher/fork/main", {"urlpath": [f"lab/tree/{path}"]}),
        "colab.research.google.com": (f"/github/teacher/fork/blob/main/{path}", {}),
    }


def test_a_notebook_runs_and_its_workshops_recompute(launch, notebook):
    check_runs_and_recomputes(launch(notebook))


def test_before_a_figure_is_run_it_says_so(launch):
    lab = launch("notebooks/06_time_per_token")
    next(lab.showing("text/html"))
    figure = lab.page.locator(".jp-OutputArea .fig").first
    figure.locator(".fig-unrun").wait_for()
    assert "milliseconds per token" not in figure.inner_text() and figure.locator(".fig-drawing").is_hidden()
    assert lab.page.locator(".jp-OutputArea .workshop-controls").first.is_hidden()


def test_while_a_slider_is_dragged_at_most_one_redraw_waits(launch):
    check_one_redraw_waits(launch("notebooks/06_time_per_token"))

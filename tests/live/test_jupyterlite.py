"""JupyterLite: each notebook opened from its page, in the reader's own browser, with nothing to install."""

from urllib.parse import urlsplit

import pytest
from browsing import watch
from built_site import DESK, PHONE
from lab import Notebook, check_one_redraw_waits, check_runs_and_recomputes
from matplotlib.colors import to_rgb
from twin import PATIENCE

from course.style import COLOURS, DARK_COLOURS


def rgb(colour):
    """#1c1c1c as a browser writes it: rgb(28, 28, 28)."""
    return f"rgb({', '.join(str(round(255 * part)) for part in to_rgb(colour))})"


@pytest.fixture(scope="module")
def reader(browser, site):
    """One reader of all notebooks, whose browser keeps what it has loaded."""
    context = browser.new_context(viewport=DESK)
    # JupyterLab and its extensions warn of each other's versions
    context.troubles = watch(context, urlsplit(site).netloc, bad_news=("error",))
    context.route("**/jupyter-lite.json*", expose_app)
    yield context
    context.close()


def expose_app(route):
    """Turns on the setting that `lab` needs and a reader does not."""
    answer = route.fetch()
    settings = answer.json()
    settings["jupyter-config-data"]["exposeAppInBrowser"] = True
    route.fulfill(response=answer, json=settings)


@pytest.fixture
def launch(reader, site):
    """Opens a notebook with the button of its page; without any trouble until the test is over."""

    def press(notebook):
        page = reader.new_page()
        page.goto(f"{site}/{notebook}.html")
        with reader.expect_page() as opened:
            page.locator(".btn-launch-in-browser").click()
        page.close()
        lab = Notebook(opened.value)
        assert lab.path == f"{notebook}.ipynb"
        return lab

    yield press
    for page in reader.pages:
        page.close()
    assert reader.troubles == []


def test_a_notebook_runs_and_its_workshops_recompute(launch, notebook):
    check_runs_and_recomputes(launch(notebook))


def test_while_a_slider_is_dragged_at_most_one_redraw_waits(launch):
    check_one_redraw_waits(launch("notebooks/06_time_per_token"))


@pytest.mark.parametrize(("scheme", "colours"), [("light", COLOURS), ("dark", DARK_COLOURS)])
def test_the_figures_are_seen_before_the_notebook_is_run(visit, site, scheme, colours):
    address = f"{site}/lite/notebooks/index.html?path=notebooks/06_time_per_token.ipynb"
    figure = visit(address, color_scheme=scheme, until="load").locator(".jp-OutputArea .fig").first
    figure.wait_for(timeout=PATIENCE)
    assert figure.locator("svg").is_visible()
    assert not figure.locator(".fig-unrun").is_visible()
    letters = figure.locator("svg text").first.evaluate("it => getComputedStyle(it).fill")
    assert letters in {rgb(colours[role]) for role in ("ink", "muted")}


def test_on_a_phone_the_notebook_has_the_whole_width(visit, site):
    page = visit(f"{site}/notebooks/05_roofline.html", viewport=PHONE)
    with page.expect_popup() as opened:
        page.locator(".btn-launch-in-browser").click()
    cell = opened.value.locator(".jp-Notebook .jp-MarkdownCell").first
    cell.wait_for(timeout=PATIENCE)
    assert cell.bounding_box()["width"] >= 0.9 * PHONE["width"]
    # and leads to the others
    with opened.value.expect_popup(timeout=PATIENCE) as other:
        opened.value.get_by_role("link", name="One linear layer").first.click()
    other.value.wait_for_url("**/lite/notebooks/*03_linear_layer.ipynb", timeout=PATIENCE)


def test_something_is_seen_while_it_loads(visit, site):
    held = []

    def hold(page):
        page.context.route("**/build/jlab_core.*.js", lambda route: held.append(route))

    page = visit(f"{site}/lite/notebooks/index.html", before=hold, until="commit")
    page.get_by_text("Loading JupyterLite").wait_for(timeout=PATIENCE)


def test_without_script_a_sentence_is_seen(visit, site):
    page = visit(f"{site}/lite/notebooks/index.html", java_script_enabled=False)
    assert "JavaScript" in page.locator("body").inner_text()

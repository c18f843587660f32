"""JupyterLite: each notebook opened from its page, in the reader's own browser, with nothing to install."""

from urllib.parse import urlsplit

import pytest
from browsing import not_of_myst, watch
from built_site import DESK, figure_modules
from jupyterlab import PATIENCE, Notebook, move
from twin import Twin


@pytest.fixture(scope="module")
def reader(browser, site):
    """One reader of all notebooks, whose browser keeps what it has loaded."""
    context = browser.new_context(viewport=DESK)
    # JupyterLab and its extensions warn of each other's versions
    context.troubles = watch(context, urlsplit(site).netloc, bad_news=("error",))
    yield context
    context.close()


def launch(reader, site, notebook):
    """Opens the notebook with the button of its page; gives JupyterLab's page."""
    page = reader.new_page()
    page.goto(f"{site}/{notebook}.html")
    with reader.expect_page() as opened:
        page.locator(".btn-launch-in-browser").click()
    page.close()
    return opened.value


def expose_app(route):
    """Turns on the setting that `jupyterlab` needs and a reader does not."""
    answer = route.fetch()
    settings = answer.json()
    settings["jupyter-config-data"]["exposeAppInBrowser"] = True
    route.fulfill(response=answer, json=settings)


def test_the_notebook_runs_and_its_workshops_recompute(reader, site, notebook):
    reader.route("**/jupyter-lite.json*", expose_app)
    page = launch(reader, site, notebook)
    lab = Notebook(page)
    assert page.evaluate("jupyterapp.shell.currentWidget.context.path") == f"{notebook}.ipynb"
    lab.run_all()
    assert lab.troubles() == []
    for figures, view in zip(figure_modules(notebook), lab.views(), strict=True):
        twin, figure = Twin(figures), view.locator(".fig")
        shown = twin.wait(figure)
        for number, control in enumerate(twin.controls):
            twin.set(control, move(view, number, control))
            shown = twin.wait(figure, shown)
    page.close()
    assert not_of_myst(reader.troubles) == []


def test_something_is_seen_while_it_loads(visit, site):
    held = []

    def hold(page):
        page.context.route("**/build/jlab_core.*.js", lambda route: held.append(route))

    page = visit(f"{site}/lite/lab/index.html", before=hold, until="commit")
    page.get_by_text("Loading JupyterLite").wait_for(timeout=PATIENCE)


def test_without_script_a_sentence_is_seen(visit, site):
    page = visit(f"{site}/lite/lab/index.html", java_script_enabled=False)
    assert "JavaScript" in page.locator("body").inner_text()

"""A reader's hands in JupyterLab: open a notebook, run it, move its controls, read its figure."""

import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from bs4 import BeautifulSoup
from playwright.sync_api import Error, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
import chromium  # noqa: E402

WIDGET = "application/vnd.jupyter.widget-view+json"
SHOWN = "() => window.jupyterapp?.shell.currentWidget?.sessionContext"
READY = """async () => {
    const panel = jupyterapp.shell.currentWidget;
    await Promise.all([panel.context.ready, panel.sessionContext.ready]);
    await panel.sessionContext.session.kernel.info;
    return panel.context.path;
}"""
RUN = """async () => {
    await jupyterapp.commands.execute("notebook:run-all-cells");
    const cells = jupyterapp.shell.currentWidget.content.widgets.filter(cell => cell.model.type === "code");
    return cells.map(cell => ({count: cell.model.executionCount, outputs: cell.model.outputs.toJSON()}));
}"""
SHOW = """async (mime) => {
    const content = jupyterapp.shell.currentWidget.content;
    const shows = cell => cell.model.outputs?.toJSON().some(output => mime in (output.data ?? {}));
    await content.scrollToItem(content.widgets.findIndex(shows), "start");
}"""
EXECUTE = """async (code) => {
    const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const future = kernel.requestExecute({code, user_expressions: {answer: "answer"}, store_history: false});
    return (await future.done).content.user_expressions.answer.data["text/plain"];
}"""
SHUT_DOWN = "() => jupyterapp.shell.currentWidget.sessionContext.shutdown()"


@contextmanager
def browsing():
    """A Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.FLAGS)
        yield browser
        browser.close()


class Lab:
    """One notebook in JupyterLab.

    path: the notebook that is open, in the repository.
    troubles: what has gone wrong: exceptions in the page, and requests to another host, which are stopped.
    """

    def __init__(self, browser, address, path):
        self.context = browser.new_context(viewport={"width": 1280, "height": 1000})
        self.page = self.context.new_page()
        self.troubles = []
        home = urlsplit(address).netloc

        def only_home(route):
            if urlsplit(route.request.url).netloc == home:
                return route.continue_()
            self.troubles.append(f"request to another host: {route.request.url}")
            return route.abort()

        self.page.route("http*://**/*", only_home)
        self.page.on("pageerror", lambda error: self.troubles.append(f"exception: {error}"))
        # without what another notebook has left open
        self._reach(f"{address}/{path}?reset")
        self.page.wait_for_function(SHOWN, timeout=60_000)
        self.path = self.page.evaluate(READY)

    def _reach(self, url):
        for _ in range(120):
            try:
                return self.page.goto(url)
            except Error:  # the server is still starting
                time.sleep(0.5)
        raise TimeoutError(f"nothing answers at {url}")

    def close(self):
        self.page.evaluate(SHUT_DOWN)
        self.context.close()

    def run(self):
        """Run all cells; gives each code cell's execution count and outputs."""
        return self.page.evaluate(RUN)

    def execute(self, code):
        """Run `code` in the notebook's kernel; gives the repr of what it calls `answer`."""
        return self.page.evaluate(EXECUTE, code)

    def show_workshop(self):
        """Scroll to the first output that is a widget."""
        self.page.evaluate(SHOW, WIDGET)
        self.page.locator(".widget-vbox .fig svg").wait_for()

    def controls(self):
        return self.page.locator(".widget-vbox > :not(.widget-html)").all()

    def picture(self):
        return self.page.locator(".widget-vbox .fig").evaluate("figure => figure.outerHTML")

    def press(self, slider, key):
        slider.locator(".noUi-handle").focus()
        self.page.keyboard.press(key)

    def drag(self, slider, moves, share):
        """Drag a slider's handle by the `share` of its length, in so many quick moves."""
        handle, whole = (slider.locator(part).bounding_box() for part in (".noUi-handle", ".noUi-base"))
        x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        for move in range(1, moves + 1):
            self.page.mouse.move(x + whole["width"] * share * move / moves, y)
        self.page.mouse.up()


def drawing(html):
    """The SVG of a figure's HTML."""
    return str(BeautifulSoup(html, "html.parser").svg)


def numbers(html):
    """All that a figure's HTML says in words and numbers: alt text, reading, basis, plotted values."""
    page = BeautifulSoup(html, "html.parser")
    alt = page.svg["aria-label"]
    page.svg.decompose()
    return [alt, *page.stripped_strings]

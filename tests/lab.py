"""JupyterLab as a reader has it: its server, a notebook in it, and what has to be seen there.

A notebook is driven through the application's own object, which has the cells that are out of sight too. JupyterLab
shows that object as `window.jupyterapp` where its setting `exposeAppInBrowser` is on.
"""

import json
import os
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen

from built_site import figure_modules
from twin import PATIENCE, PATIENCE_SECONDS, Twin

from course.live import Number

_OPEN = "window.jupyterapp?.shell.currentWidget?.content?.model?.cells.length > 0"
_READY = """async () => {
  const {context, sessionContext} = jupyterapp.shell.currentWidget;
  await Promise.all([context.ready, sessionContext.ready]);
  await sessionContext.session.kernel.info;
  return context.path;
}"""
_CELLS = """() => jupyterapp.shell.currentWidget.content.model.toJSON().cells
  .filter(cell => cell.cell_type === 'code' && cell.source.trim())"""
_SHOW = """async number => {
  const {content} = jupyterapp.shell.currentWidget;
  const cells = content.widgets.filter(cell => cell.model.type === 'code' && cell.model.sharedModel.source.trim());
  content.activeCellIndex = content.widgets.indexOf(cells[number]);
  await content.scrollToCell(cells[number], 'start');
}"""
_EXECUTE = """async code => {
  const {kernel} = jupyterapp.shell.currentWidget.sessionContext.session;
  const future = kernel.requestExecute({code, store_history: false});
  let printed = '';
  future.onIOPub = ({header, content}) => { if (header.msg_type === 'stream') printed += content.text; };
  await future.done;
  return printed;
}"""
_WIDGET = "application/vnd.jupyter.widget-view+json"

# Run in the kernel: notes when each picture was begun.
_COUNT_REDRAWS = """
import time
from course.live import Live
starts, draw = [], Live.picture
def picture(self, settings):
    starts.append(time.time())
    return draw(self, settings)
Live.picture = picture
"""


@contextmanager
def serving_lab(python, folder):
    """Start the JupyterLab of this Python on `folder`, for a user with an empty home; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = (
        "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0",
        "--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryFile() as log:
        server = subprocess.Popen(
            [python, "-m", "jupyterlab", *options],
            cwd=folder,
            env=os.environ | {"HOME": home},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _await_answer(f"{address}/api", server)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=30)


def _await_answer(url, server):
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return urlopen(url).close()
        except URLError:
            if server.poll() is not None or time.monotonic() > end:
                raise
            time.sleep(0.2)


class Notebook:
    """The notebook that is open in `page`, and its `path`."""

    def __init__(self, page):
        self.page = page
        page.wait_for_function(_OPEN, timeout=PATIENCE)
        self.path = page.evaluate(_READY)

    def shut_down(self):
        """End its kernel."""
        self.page.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")

    def run_all(self):
        """Run all cells to the end, as the menu's Run All Cells does."""
        self.page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")

    def cells(self):
        """The code cells as in a notebook file, empty ones left out."""
        return self.page.evaluate(_CELLS)

    def troubles(self):
        """Cells that did not run in their turn, and all that was said on stderr or raised."""
        found = []
        for number, cell in enumerate(self.cells(), 1):
            if cell["execution_count"] != number:
                found.append(f"cell {number} ran as number {cell['execution_count']}: {cell['source']}")
            for output in cell["outputs"]:
                if output["output_type"] == "error" or output.get("name") == "stderr":
                    found.append(f"cell {number}: {output.get('text') or output['traceback']}")
        return found

    def showing(self, mime):
        """Brings into sight, one after the other, each cell that has an output of this type."""
        for number, cell in enumerate(self.cells()):
            if any(mime in output.get("data", ()) for output in cell["outputs"]):
                self.page.evaluate(_SHOW, number)
                yield

    def views(self):
        """The live view of each workshop as a locator, brought into sight one after the other."""
        for _ in self.showing(_WIDGET):
            view = self.page.locator(".jp-OutputArea .widget-vbox").first
            view.locator(".fig svg").wait_for(timeout=PATIENCE)
            yield view

    def execute(self, code):
        """Run `code` in the kernel; gives what it prints."""
        return self.page.evaluate(_EXECUTE, code)


def _row(view, number):
    return view.locator(":scope > *").nth(number)


def _move(view, number, control):
    """Move the control of this number to an end of its track, or choose another option, with the mouse.

    Gives the setting as `Twin.set` takes it.
    """
    row = _row(view, number)
    if isinstance(control, Number):
        _click_end(row, right=True)
        return control.largest
    last = len(control.options) - 1
    setting = 0 if control.start == list(control.options)[last] else last
    if control.ordered:
        _click_end(row, right=setting == last)
    else:
        row.locator("select").select_option(index=setting)
    return setting


def _click_end(row, right):
    track = row.locator(".noUi-base")
    box = track.bounding_box()
    track.click(position={"x": box["width"] - 1 if right else 1, "y": box["height"] / 2}, force=True)


def _drag(page, row, moves, share):
    """Drag a slider's handle by this share of its track, in so many quick moves."""
    handle, track = (row.locator(part).bounding_box() for part in (".noUi-handle", ".noUi-base"))
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for move in range(1, moves + 1):
        page.mouse.move(x + track["width"] * share * move / moves, y)
    page.mouse.up()


def check_runs_and_recomputes(lab):
    """All cells run, and each control of each workshop changes the picture to what this Python draws."""
    lab.run_all()
    assert lab.troubles() == []
    for figures, view in zip(figure_modules(lab.path.removesuffix(".ipynb")), lab.views(), strict=True):
        twin, figure = Twin(figures), view.locator(".fig")
        shown = twin.wait(figure)
        for number, control in enumerate(twin.controls):
            twin.set(control, _move(view, number, control))
            shown = twin.wait(figure, shown)


def check_one_redraw_waits(lab):
    """While a slider is dragged no more than one redraw waits. Looks at the first workshop's first number."""
    lab.run_all()
    twin, view = Twin(figure_modules(lab.path.removesuffix(".ipynb"))[0]), next(lab.views())
    twin.wait(view.locator(".fig"))
    number, control = next(pair for pair in enumerate(twin.controls) if isinstance(pair[1], Number))
    lab.execute(_COUNT_REDRAWS)
    moves = 30
    _drag(lab.page, _row(view, number), moves, moves * control.step / (control.largest - control.least))
    stopped = time.time()
    twin.set(control, control.start + moves * control.step)
    twin.wait(view.locator(".fig"))
    starts = json.loads(lab.execute("print(starts)"))
    # the one that was sent when the last move came, and the one that waited for it
    assert 2 <= len(starts) <= moves
    assert sum(moment > stopped for moment in starts) <= 2

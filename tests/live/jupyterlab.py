"""A notebook in JupyterLab, driven through the application's own object, which has the cells that are out of sight too.

JupyterLab shows that object as `window.jupyterapp` where its setting `exposeAppInBrowser` is on.
"""

from twin import PATIENCE_SECONDS

from course.live import Number

PATIENCE = PATIENCE_SECONDS * 1000

_OPEN = "window.jupyterapp?.shell.currentWidget?.content?.model?.cells.length > 0"
_RUN_ALL = """async () => {
  const {context, sessionContext} = jupyterapp.shell.currentWidget;
  await context.ready;
  await sessionContext.ready;
  await jupyterapp.commands.execute('notebook:run-all-cells');
}"""
_CELLS = """() => jupyterapp.shell.currentWidget.content.model.toJSON().cells
  .filter(cell => cell.cell_type === 'code' && cell.source.trim())"""
_SHOW = """async number => {
  const {content} = jupyterapp.shell.currentWidget;
  const cells = content.widgets.filter(cell => cell.model.type === 'code' && cell.model.sharedModel.source.trim());
  content.activeCellIndex = content.widgets.indexOf(cells[number]);
  await content.scrollToCell(cells[number], 'start');
}"""
_WIDGET = "application/vnd.jupyter.widget-view+json"


class Notebook:
    """The notebook that is open in `page`."""

    def __init__(self, page):
        self.page = page
        page.wait_for_function(_OPEN, timeout=PATIENCE)

    def run_all(self):
        """Run all cells to the end, as the menu's Run All Cells does."""
        self.page.evaluate(_RUN_ALL)

    def cells(self):
        """The code cells as in a notebook file, empty ones left out."""
        return self.page.evaluate(_CELLS)

    def troubles(self):
        """Cells that did not run, and all that was said on stderr or raised."""
        found = []
        for number, cell in enumerate(self.cells()):
            if cell["execution_count"] is None:
                found.append(f"cell {number} did not run: {cell['source']}")
            for output in cell["outputs"]:
                if output["output_type"] == "error" or output.get("name") == "stderr":
                    found.append(f"cell {number}: {output.get('text') or output['traceback']}")
        return found

    def views(self):
        """The live view of each workshop as a locator, brought into sight one after the other."""
        for number, cell in enumerate(self.cells()):
            if any(_WIDGET in output.get("data", ()) for output in cell["outputs"]):
                self.page.evaluate(_SHOW, number)
                view = self.page.locator(".jp-OutputArea .widget-vbox").first
                view.locator(".fig svg").wait_for(timeout=PATIENCE)
                yield view


def move(view, number, control):
    """Move the control of this number in a live view to an end of its track, or choose another option.

    With the mouse: JupyterLab keeps the arrow keys for going from cell to cell.
    Gives the setting as `Twin.set` takes it.
    """
    row = view.locator(":scope > *").nth(number)
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

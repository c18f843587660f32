"""`make notebooks`: run every notebook and write it as it is committed.

What differs from run to run is left out (times, widget state, widget views), so that a second run changes nothing.
Each gets a first line that says how it becomes live, and the cell that installs the course in Colab (`colab.py`).
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
# The version is left out: it is that of whoever ran the notebook.
LANGUAGE = {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"}

# What a reader of the notebook has to do first. The book does not show it.
FIRST = "**Run all cells to make this notebook live** (menu *Run*, in Colab *Runtime*): then the sliders compute."

# What Colab has to run first. It does nothing elsewhere, so the book does not show it, and JupyterLab folds it.
COLAB = (Path(__file__).parent / "colab.py").read_text(encoding="utf-8").strip()
FOLDED = {"jupyter": {"source_hidden": True}, "tags": ["remove-cell"]}

# A solution is folded on the page and in JupyterLab until its reader asks for it.
SOLUTION = {
    "jupyter": {"source_hidden": True, "outputs_hidden": True},
    "mystnb": {"code_prompt_show": "Show the solution", "code_prompt_hide": "Hide the solution"},
    "tags": ["hide-cell", "solution"],
}

# Else every kernel warns that it is spoken to over an unencrypted local connection.
QUIET = ["--IPKernelApp.log_level=ERROR"]


def clean(notebook):
    """Strip from an executed notebook, in place, what may differ between two runs of the same code."""
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": LANGUAGE})
    notebook.nbformat_minor = 5  # the first in which cells have ids
    for number, cell in enumerate(notebook.cells):
        cell.setdefault("id", f"cell-{number:02}")
        if cell.cell_type != "code":
            continue
        cell.metadata.pop("execution", None)
        if "solution" in cell.metadata.get("tags", []):
            cell.metadata = nbformat.from_dict(SOLUTION)
        for output in cell.outputs:
            if "data" in output:
                output.data.pop(WIDGET_VIEW, None)
        cell.outputs = [output for output in cell.outputs if output.get("data") != {}]


def add_cells(notebook):
    """Put the first line, and Colab's cell before the first code cell, as they now are, in place."""
    cells = [cell for cell in notebook.cells if cell.get("id") not in ("first", "colab")]
    first_code = next(index for index, cell in enumerate(cells) if cell.cell_type == "code")
    cells.insert(first_code, nbformat.v4.new_code_cell(COLAB, id="colab", metadata=FOLDED, execution_count=1))
    cells.insert(0, nbformat.v4.new_markdown_cell(FIRST, id="first", metadata={"tags": ["remove-cell"]}))
    notebook.cells = cells


def text(notebook):
    """The notebook as the text of its file."""
    return nbformat.writes(notebook, indent=1).rstrip() + "\n"


def main():
    paths = sorted(NOTEBOOKS.glob("*.ipynb"))
    for number, path in enumerate(paths, 1):
        print(f"[{number}/{len(paths)}] {path.name} … ", end="", flush=True)
        before = path.read_text(encoding="utf-8")
        notebook = nbformat.reads(before, as_version=4)
        add_cells(notebook)
        try:
            NotebookClient(
                notebook,
                kernel_name="python3",
                resources={"metadata": {"path": NOTEBOOKS}},
                record_timing=False,
                store_widget_state=False,
                extra_arguments=QUIET,
            ).execute()
        except CellExecutionError as error:
            sys.exit(f"failed; it was not written\n{error}")
        clean(notebook)
        after = text(notebook)
        path.write_text(after, encoding="utf-8")
        print("unchanged" if after == before else "changed")


if __name__ == "__main__":
    main()

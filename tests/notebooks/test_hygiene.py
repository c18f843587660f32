"""The committed notebooks hold only what nbval compares and what every reader can read."""

from pathlib import Path

import nbformat
import nbformat.v4 as v4
import pytest
from bs4 import BeautifulSoup
from nbformat import NotebookNode
from write import KERNEL, NOTEBOOKS, clean, text

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
COMPARED = {"text/plain", "text/html", "text/markdown", "text/latex", "image/svg+xml"}
# What makes nbval skip a cell or its output, as a tag or as a comment.
UNCHECKED = ("nbval-", "nbval_", "raises-exception", "skip-execution")


def _troubles_of_html(html):
    """Figures without a text that says what they show."""
    page = BeautifulSoup(html, "html.parser")
    for figure in page.select("img, svg"):
        if figure.get("aria-hidden") == "true" or figure.find_parent("svg"):
            continue
        alt = (figure.get("alt") or figure.get("aria-label") or "").strip()
        if figure.name == "svg" and figure.get("role") != "img":
            yield "a figure without role=img"
        if len(alt.split()) < 3 or Path(alt).suffix in {".svg", ".png", ".jpg", ".jpeg", ".ipynb"}:
            yield f"a figure with the alt text {alt!r}"
        if str(figure.get("src", "")).startswith(("data:image/png", "data:image/jpeg")):
            yield "a picture in pixels"


def _troubles_of_output(output, metadata):
    kind = output.output_type
    if kind == "error" or output.get("name") == "stderr":
        yield f"an output of kind {output.get('name', kind)}"
    for mime, content in output.get("data", {}).items():
        if mime not in COMPARED:
            yield f"an output of type {mime}, which nbval does not compare"
        elif mime == "image/svg+xml":
            alt = metadata.get("mystnb", {}).get("image", {}).get("alt", "")
            yield from _troubles_of_html(f'<img alt="{alt}">')
        elif mime == "text/html":
            yield from _troubles_of_html(content)


def troubles(notebook):
    """What a notebook holds that it must not, one line each."""
    found = []
    if notebook.metadata.get("kernelspec") != KERNEL:
        found.append(f"the kernelspec {notebook.metadata.get('kernelspec')}")
    if notebook.metadata.get("language_info", {}).get("name") != "python":
        found.append("no language_info")
    if "widgets" in notebook.metadata:
        found.append("widget state")
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(cells, 1):
        here = [] if cell.execution_count == number else [f"execution count {cell.execution_count}, not {number}"]
        marks = (" ".join(cell.metadata.get("tags", [])) + cell.source).lower()
        here += [f"the mark {mark!r}, which hides it from nbval" for mark in UNCHECKED if mark in marks]
        here += [trouble for output in cell.outputs for trouble in _troubles_of_output(output, cell.metadata)]
        found += [f"code cell {number}: {trouble}" for trouble in here]
    return found


def test_there_are_notebooks():
    assert PATHS


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_committed_notebook_is_clean(path):
    source = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(source, as_version=4)
    nbformat.validate(notebook)
    assert troubles(notebook) == []
    clean(notebook)
    assert text(notebook) == source, "not as `make notebooks` writes it"


FIGURE = '<svg role="img" aria-label="Time against tokens: 6.2 ms at 1">…</svg>'


def notebook_with(*outputs, count=1, source="1 + 1", tags=(), metadata=None):
    cell = v4.new_code_cell(source, execution_count=count, outputs=list(outputs), metadata={"tags": list(tags)})
    metadata = metadata or {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    return v4.new_notebook(cells=[v4.new_markdown_cell("# Title"), cell], metadata=metadata)


def shown(mime, content="…"):
    return v4.new_output("display_data", {mime: content})


def test_a_clean_notebook_passes():
    assert troubles(notebook_with(shown("text/html", FIGURE), v4.new_output("stream", text="2"))) == []


@pytest.mark.parametrize(
    "trouble, notebook",
    [
        ("execution count None", notebook_with(count=None)),
        ("execution count 3", notebook_with(count=3)),
        ("image/png", notebook_with(shown("image/png"))),
        ("image/jpeg", notebook_with(shown("image/jpeg"))),
        ("widget-view", notebook_with(shown("application/vnd.jupyter.widget-view+json"))),
        ("application/json", notebook_with(shown("application/json"))),
        ("kind stderr", notebook_with(v4.new_output("stream", name="stderr", text="warning"))),
        ("kind error", notebook_with(v4.new_output("error", ename="E", evalue="", traceback=[]))),
        ("alt text ''", notebook_with(shown("text/html", FIGURE.replace("aria-label", "title")))),
        ("alt text 'figure.svg'", notebook_with(shown("text/html", '<img src="a.svg" alt="figure.svg">'))),
        ("alt text 'a b c.png'", notebook_with(shown("text/html", '<img src="a.svg" alt="a b c.png">'))),
        ("alt text ''", notebook_with(shown("image/svg+xml"))),
        ("role=img", notebook_with(shown("text/html", FIGURE.replace('role="img"', "")))),
        ("pixels", notebook_with(shown("text/html", '<img src="data:image/png;base64,…" alt="one two three">'))),
        ("nbval_", notebook_with(source="# NBVAL_IGNORE_OUTPUT\n1 + 1")),
        ("nbval-", notebook_with(tags=["nbval-skip"])),
        ("raises-exception", notebook_with(tags=["raises-exception"])),
        ("kernelspec", notebook_with(metadata={"language_info": {"name": "python"}})),
        ("language_info", notebook_with(metadata={"kernelspec": KERNEL})),
        (
            "widget state",
            notebook_with(metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}, "widgets": {}}),
        ),
    ],
)
def test_a_notebook_that_is_not_clean_is_reported(trouble, notebook):
    found = troubles(notebook)
    assert len(found) == 1 and trouble in found[0]


def test_cleaning_leaves_nothing_of_a_run():
    widget = NotebookNode({"text/plain": "Slider()", "application/vnd.jupyter.widget-view+json": {"model_id": "1"}})
    notebook = notebook_with(
        v4.new_output("display_data", widget),
        v4.new_output("display_data", NotebookNode({"application/vnd.jupyter.widget-view+json": {"model_id": "2"}})),
    )
    notebook.cells[1].metadata["execution"] = {"iopub.execute_input": "now"}
    notebook.metadata.update({"widgets": {}, "language_info": {"name": "python", "version": "3.11.2"}})
    clean(notebook)
    assert troubles(notebook) == []
    assert [output.data for output in notebook.cells[1].outputs] == [{"text/plain": "Slider()"}]
    assert "execution" not in notebook.cells[1].metadata and "version" not in notebook.metadata.language_info

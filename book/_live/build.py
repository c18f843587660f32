"""Builds the live site beside the book: JupyterLite with Pyodide, our packages and every notebook in it."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path

import nbformat
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import parts
from course.output import NOTEBOOK_STYLE

ROOT = Path(__file__).parents[2]
WORK = ROOT / "_build" / "live"
SITE = ROOT / "_build" / "html" / "lite"
REFERENCES = ROOT / "_build" / "references.json"  # of `book/_ext/live_site.py`
ROLE = re.compile(r"\{(cite|eq|numref|term)\}`([^`]+)`")


def main():
    if not parts.complete():
        return
    print("== Building the live site", flush=True)
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    _lay_out_python()
    _lay_out_notebooks()
    _write_settings()
    _run(
        sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", WORK, "--output-dir", SITE,
        "--contents", WORK / "contents", "--apps", "lab", "--apps", "notebooks", "--apps", "tree",
        "--no-sourcemaps", "--no-unused-shared-packages",
    )  # fmt: skip
    # these pages name no icon, and a browser would look for one at the root of the host
    for page in (SITE.parent / "index.html", *SITE.glob("*/index.html")):
        static = "../../_static" if page.is_relative_to(SITE) else "_static"
        icon = f'<link rel="icon" href="{static}/favicon.svg">'
        html = page.read_text(encoding="utf-8")
        page.write_text(html.replace("<meta", f"{icon}<meta", 1), encoding="utf-8")


def _lay_out_python():
    """Pyodide with its packages and ours, and the lock that names them all."""
    pyodide = WORK / "static" / "pyodide"
    pyodide.mkdir(parents=True)
    for name in parts.pinned():
        shutil.copy(parts.CACHE / name, pyodide)
    ours = [_our_wheel(), *parts.wheels()]
    for wheel in ours:
        shutil.copy(wheel, pyodide)
    added = dict(map(_lock_entry, ours))
    packages = parts.PINS["packages"] | added
    for entry in added.values():
        # other requirements, such as JupyterLab's extension for widgets, are part of the page around Pyodide
        entry["depends"] = [name for name in entry["depends"] if name in packages]
    _write_json(pyodide / "pyodide-lock.json", {"info": parts.PINS["info"], "packages": packages})


def _lay_out_notebooks():
    contents = WORK / "contents" / "notebooks"
    contents.mkdir(parents=True)
    texts = json.loads(REFERENCES.read_text(encoding="utf-8"))
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        # not written with nbformat, which takes the trust away
        _write_json(contents / notebook.name, _as_in_the_book(nbformat.read(notebook, as_version=4), texts))


def _write_settings():
    kernel = {"@jupyterlite/pyodide-kernel-extension:kernel": {"disablePyPIFallback": True}}
    config = {"litePluginSettings": kernel, "showLoadingIndicator": True}
    _write_json(WORK / "jupyter-lite.json", {"jupyter-lite-schema-version": 0, "jupyter-config-data": config})
    overrides = {
        # light or dark as the reader's browser is
        "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
        # every cell stays in the page: taking those out of sight away fails now and then
        "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    }
    _write_json(WORK / "overrides.json", overrides)


def _as_in_the_book(notebook, texts):
    """The notebook with its captions, and with what its references say: nothing finds that without the book around.

    Its outputs are trusted, as they are our own: else JupyterLab would show the figures only when they are run. One
    of them brings the style that each brings when it is run.
    """
    outputs = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    next(data for data in outputs if "text/html" in data)["text/html"] += NOTEBOOK_STYLE
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        if cell.cell_type == "code":
            cell.metadata.trusted = True
        if figure := cell.metadata.get("mystnb", {}).get("figure"):
            caption = f"**{texts[figure['name']]}.** {figure['caption']}"
            cells.append(nbformat.v4.new_markdown_cell(caption, id=f"{cell.id}-caption"))
    for cell in cells:
        if cell.cell_type == "markdown":
            cell.source = ROLE.sub(lambda role: role[2] if role[1] == "term" else texts[role[2]], cell.source)
    notebook.cells = cells
    return notebook


def _our_wheel():
    _run(
        sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", ROOT,
        "--wheel-dir", WORK,
    )  # fmt: skip
    return next(WORK.glob("*.whl"))


def _lock_entry(wheel):
    """What Pyodide has to know of a wheel: which imports load it, and what is loaded with it."""
    root = zipfile.Path(wheel)
    folders = [entry for entry in root.iterdir() if entry.is_dir()]
    distribution = PathDistribution(next(folder for folder in folders if folder.name.endswith(".dist-info")))
    name = canonicalize_name(distribution.name)
    requirements = [Requirement(line) for line in distribution.requires or []]
    return name, {
        "name": name,
        "version": distribution.version,
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": parts.sha256(wheel.read_bytes()),
        "package_type": "package",
        "imports": sorted(folder.name for folder in folders if (folder / "__init__.py").exists()),
        "depends": sorted(canonicalize_name(each.name) for each in requirements if each.marker is None),
        "unvendored_tests": False,
    }


def _write_json(file, content):
    file.write_text(json.dumps(content), encoding="utf-8")


def _run(*command):
    done = subprocess.run(command, cwd=WORK, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{done.stderr}")


if __name__ == "__main__":
    main()

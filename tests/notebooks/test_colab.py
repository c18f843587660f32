"""Each notebook says first how it becomes live, and its first code cell installs the course in Colab, only there."""

import io
import json
import subprocess
import sys

import nbformat
import pytest
from write import COLAB, FIRST, NOTEBOOKS, add_cells

NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))


@pytest.mark.parametrize("name", NAMES)
def test_every_notebook_begins_with_it(name):
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code[0].source == COLAB and "remove-cell" in code[0].metadata["tags"] and code[0].outputs == []
    assert [cell.id for cell in code].count("colab") == 1
    assert notebook.cells[0].source == FIRST and "remove-cell" in notebook.cells[0].metadata["tags"]
    before = nbformat.writes(notebook)
    add_cells(notebook)
    assert nbformat.writes(notebook) == before


def test_it_is_short():
    assert len(COLAB.splitlines()) <= 8


@pytest.fixture
def run(monkeypatch):
    """Runs the cell where Colab's server answers that its notebook's path is `path`; gives the commands that it ran."""
    commands = []
    monkeypatch.setattr(subprocess, "run", lambda command, check: commands.append(command))

    def in_colab(path, installed=False):
        def urlopen(address):
            assert address == "http://172.28.0.12:9000/api/sessions"
            return io.BytesIO(json.dumps([{"name": "a.ipynb", "path": path, "kernel": {"name": "python3"}}]).encode())

        monkeypatch.setitem(sys.modules, "google.colab", None)
        monkeypatch.setenv("COLAB_JUPYTER_IP", "172.28.0.12")
        monkeypatch.setattr("urllib.request.urlopen", urlopen)
        monkeypatch.setattr("importlib.util.find_spec", lambda name: "a spec" if installed else None)
        exec(COLAB, {})
        return commands

    return in_colab


def test_elsewhere_it_does_nothing(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    names = {}
    exec(COLAB, names)
    assert names.keys() <= {"__builtins__", "sys", "find_spec"}


@pytest.mark.parametrize(
    "path, source",
    [
        ("fileId=https%3A//github.com/teacher/fork/blob/main/notebooks/01_two_phases.ipynb", "teacher/fork@main"),
        (
            "fileId=https%3A%2F%2Fgithub.com%2Fteacher%2Ffork%2Fblob%2Fterm%2F2%2Fnotebooks%2Fa.ipynb",
            "teacher/fork@term/2",
        ),
    ],
)
def test_in_colab_it_installs_from_the_repository_that_the_notebook_comes_from(run, path, source):
    pip = [sys.executable, "-m", "pip", "install", "-q"]
    assert run(path) == [[*pip, f"git+https://github.com/{source}"]]


def test_a_copy_without_a_repository_says_what_to_do(run):
    with pytest.raises(SystemExit, match="git\\+https://github.com/OWNER/NAME"):
        run("fileId=1a2b3c")


def test_what_is_installed_is_not_installed_again(run):
    assert run("fileId=1a2b3c", installed=True) == []

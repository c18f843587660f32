"""Binder's image without a container engine: its base environment, and the steps that repo2docker renders."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from built_site import ROOT

HERE = Path(__file__).parent
# What of the base environment opens a notebook. Its other packages follow from these, or open nothing of ours.
SERVER = ("jupyterlab", "jupyter_server", "notebook", "ipywidgets", "jupyterlab_widgets", "ipykernel")


class Image(NamedTuple):
    """A built image: repo2docker's recipe, the repository inside, the Python that runs the notebooks."""

    recipe: dict
    repository: Path
    python: Path


def build(folder):
    """Carry out the recipe for this repository in an empty folder."""
    repository = folder / "repository"
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    names = [line.strip("/") for line in ignored if line and not line.startswith("#")]
    shutil.copytree(ROOT, repository, ignore=shutil.ignore_patterns(".git", *names))

    renderer = _environment(folder / "renderer", sys.executable)
    _run(renderer, "-m", "pip", "install", "--quiet", "-r", HERE / "requirements.txt")
    recipe = json.loads(_run(renderer, HERE / "recipe.py", cwd=repository))

    # the named version where it is installed, else the one that runs this
    prefix = folder / "environment"
    python = _environment(prefix, shutil.which(f"python{recipe['python']}") or sys.executable)
    _run(python, "-m", "pip", "install", "--quiet", *(f"{name}=={recipe['base'][name]}" for name in SERVER))
    for step in recipe["steps"]:
        # an image keeps no cache; a test does, so that it downloads once
        command = step.replace(" --no-cache-dir", "")
        _run("bash", "-c", command, cwd=repository, env=os.environ | {"KERNEL_PYTHON_PREFIX": str(prefix)})
    return Image(recipe, repository, python)


def _environment(folder, python):
    _run(python, "-m", "venv", folder)
    return folder / "bin" / "python"


def _run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout

"""Binder's image without a container engine: its base environment, the steps that repo2docker renders, its server."""

import json
import os
import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
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


@contextmanager
def served(image, home):
    """Start JupyterLab as Binder does, for a user with the new home `home`; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home.mkdir()
    with open(home / "server.log", "wb") as log:
        server = subprocess.Popen(
            [
                image.python, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
                "--ServerApp.port_retries=0", "--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True",
                "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            ],
            cwd=image.repository,
            env=os.environ | {"HOME": str(home)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(timeout=30)


def _environment(folder, python):
    _run(python, "-m", "venv", folder)
    return folder / "bin" / "python"


def _run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout

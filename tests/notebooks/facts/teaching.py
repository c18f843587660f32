"""The notes for teachers."""

import re
import tomllib
from pathlib import Path

PAGE = "book/teaching.md"
ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MEASURED = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

READERS = 30
MEGABITS_PER_SECOND = 100


def first_load_megabytes(way):
    """What a fresh browser loads until the first live figure: from the table of measurements."""
    return float(re.search(rf"^\| {way} \|[^|]*?([\d.]+) MB", MEASURED, re.MULTILINE)[1])


def facts():
    page, lite = (first_load_megabytes(way) for way in ("in the page", "JupyterLite"))
    page_seconds, lite_seconds = (READERS * megabytes * 8 / MEGABITS_PER_SECOND for megabytes in (page, lite))
    return [
        f"the first start loads {page:.0f} MB or more",
        f"loads {page:.0f} MB, once per browser",
        f"a Jupyter that runs in the browser, and loads {lite:.0f} MB",
        f"a class of {READERS} begins at once, {READERS * page / 1e3:.1f} GB or {READERS * lite / 1e3:.1f} GB",
        f"at {MEGABITS_PER_SECOND} Mbit/s, {page_seconds:.0f} s or {lite_seconds:.0f} s",
        f"Python {PROJECT['requires-python'].removeprefix('>=')} or newer",
        f"{PROJECT['license']} license",
        re.search(r"CC BY [\d.]+", README)[0],
    ]

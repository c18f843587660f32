"""The notes for teachers."""

import re
import tomllib
from pathlib import Path

PAGE = "book/teaching.md"
ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def facts():
    return [
        f"Python {PROJECT['requires-python'].removeprefix('>=')} or newer",
        f"{PROJECT['license']} license",
        re.search(r"CC BY [\d.]+", README)[0],
    ]

"""Measurements as small tables, each with its provenance. Standard library alone.

A table is a JSON file beside this one. It says what was measured, where and when, and how it was derived.
"""

import json
from pathlib import Path

_FOLDER = Path(__file__).parent


def load(name):
    """The table `name` as a dict. ValueError where there is none, naming those that there are."""
    names = sorted(path.stem for path in _FOLDER.glob("*.json"))
    if name not in names:
        raise ValueError(f"name must be one of {', '.join(map(repr, names))}, not {name!r}")
    return json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))

"""Every number in the prose of a page is one that the library computes, written as the page writes it."""

import importlib
import pkgutil
import re
from pathlib import Path

import facts
import nbformat
import pytest
import yaml

ROOT = Path(__file__).parents[2]
MODULES = {module.PAGE: module for module in (
    importlib.import_module(f"facts.{found.name}") for found in pkgutil.iter_modules(facts.__path__)
)}  # fmt: skip
# pages whose numbers are years, volumes and the like
WITHOUT_FACTS = {"book/references"}

# What is not prose: formulas, code, references, labels, addresses, the numbering of exercises.
NOT_PROSE = re.compile(
    r"""(?mx)
    \$\$ (?s:.*?) \$\$ (?: \ *\([\w-]+\))?   # a formula and its label
  | ``` (?s:.*?) ```                         # a directive or a code block
  | \{[\w:]+\} `[^`]*`                       # a role
  | `[^`]*`
  | \$[^$\n]*\$
  | ^\([\w-]+\)=$                            # a label
  | \]\([^)]*\)                              # the target of a link
  | https?://\S+
  | ^\*\*\d+\.\*\*                           # the number of an exercise
  | ^:[\w-]+:.*$                             # an option of a directive
    """
)


def prose(path):
    """The text that a reader of the page reads as sentences, captions included."""
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    cells = nbformat.read(path, as_version=4).cells
    captions = (cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "") for cell in cells)
    return "\n\n".join([*(cell.source for cell in cells if cell.cell_type == "markdown"), *captions])


def unexplained(text, known):
    """What is wrong with the numbers of `text`: facts that do not stand in it, and numbers that no fact explains."""
    text = re.sub(r"\s+", " ", NOT_PROSE.sub(" ", text))
    places = {fact: re.compile(rf"(?<![\d.,]){re.escape(fact)}(?![.,]?\d)") for fact in known}
    faults = [f"not on the page: {fact!r}" for fact, place in places.items() if not place.search(text)]
    for fact in sorted(places, key=len, reverse=True):
        text = places[fact].sub("…", text)
    numbers = re.finditer(r"\d[\d.,]*", text)
    return faults + [f"computed by no fact: {text[max(0, n.start() - 40) : n.end() + 30]}" for n in numbers]


def pages():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [toc["root"], *(chapter["file"] for part in toc["parts"] for chapter in part["chapters"])]


@pytest.mark.parametrize("page", sorted(set(pages()) - WITHOUT_FACTS))
def test_every_number_comes_from_the_library(page):
    path = next(path for suffix in (".ipynb", ".md") if (path := ROOT / f"{page}{suffix}").exists())
    module = MODULES.get(str(path.relative_to(ROOT)))
    assert not unexplained(prose(path), module.facts() if module else [])


def test_each_module_of_facts_has_its_page():
    assert {Path(page).with_suffix("").as_posix() for page in MODULES} <= set(pages())


@pytest.mark.parametrize(
    ("text", "known", "fault"),
    [
        ("It takes 6.24 ms.", ["6.24 ms"], None),
        ("It takes 6.25 ms.", ["6.24 ms"], "not on the page: '6.24 ms'"),
        ("It takes 6.24 ms, 225 times.", ["6.24 ms"], "computed by no fact: It takes …, 225 times."),
        ("It takes 16.24 ms.", ["6.24 ms"], "not on the page: '6.24 ms'"),
        ("See {numref}`fig-2` and $2 T$, `x[3]`.", [], None),
        ("**1.** Compute it.", [], None),
    ],
)
def test_the_check_can_fail(text, known, fault):
    faults = unexplained(text, known)
    assert faults == [] if fault is None else fault in faults

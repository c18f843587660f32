"""A wrong coefficient must be seen: each is changed in turn in a copy of the cost model, and unit tests and a notebook
that run on the copy must go red."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PYTEST = [sys.executable, "-m", "pytest", "-q", "-rf", "--noconftest", "-p", "no:cacheprovider"]
LAYER, CONVENTIONS, ROOFLINE = "03_linear_layer.ipynb", "04_whole_model.ipynb", "05_roofline.ipynb"


class Mutation(NamedTuple):
    file: str  # of the cost model
    before: str  # stands there once
    after: str
    tests: str = "test_golden.py"
    notebook: str = "06_time_per_token.ipynb"
    figures: int = 0  # of the notebook to draw; it is cut before the next, to be quick


MUTATIONS = [
    Mutation("count.py", "part: 2.0 * size", "part: 2.1 * size"),
    Mutation("count.py", "4.0 * model.layers", "2.0 * model.layers"),
    Mutation("count.py", "float(DTYPE_BYTES", "1.01 * float(DTYPE_BYTES"),
    Mutation("count.py", '"kv_read": position', '"kv_read": 2 * position'),
    Mutation("count.py", '"kv_written": position', '"kv_written": 2 * position'),
    Mutation("count.py", '["output_head"] = 1.0', '["output_head"] = tokens', notebook=CONVENTIONS, figures=2),
    Mutation("count.py", '{"embedding": 0.0}', '{"embedding": 1e9}', notebook=CONVENTIONS, figures=2),
    Mutation("forward_pass.py", "new * (new + 1) / 2\n", "new * (new + 1)\n"),
    Mutation("model.py", "self.d_model * 2 * (queries + keys)", "self.d_model * (queries + 2 * keys)"),
    Mutation("model.py", "(3 if self.gated_mlp else 2)", "2"),
    Mutation("model.py", "(2 * self.layers + 1) * self.d_model", "1000 * self.layers * self.d_model"),
    Mutation("model.py", "return 2 * self.layers * self.kv_heads", "return self.layers * self.kv_heads"),
    Mutation("model.py", '"bf16": 2', '"bf16": 4'),
    Mutation("models.json", '"d_ff": 14336, "vocab": 128256', '"d_ff": 14335, "vocab": 128256'),
    Mutation("accelerators.json", '989e12,\n    "bandwidth": 3.35e12', '990e12,\n    "bandwidth": 3.35e12'),
    Mutation("accelerators.json", '"bandwidth": 3.35e12', '"bandwidth": 3.36e12'),
    Mutation("estimate.py", "PLATE = Assumptions(0.6,", "PLATE = Assumptions(0.61,"),
    Mutation("estimate.py", "PLATE = Assumptions(0.6, 0.8, 0.2e-3", "PLATE = Assumptions(0.6, 0.81, 0.2e-3"),
    Mutation("estimate.py", "PLATE = Assumptions(0.6, 0.8, 0.2e-3", "PLATE = Assumptions(0.6, 0.8, 0.3e-3"),
    Mutation("estimate.py", "peak_flops=accelerator.peak_flops * self.", "peak_flops=accelerator.peak_flops ** self."),
    Mutation("estimate.py", "bandwidth=accelerator.bandwidth * self.", "bandwidth=0.5 * accelerator.bandwidth * self."),
    Mutation("estimate.py", "limits + self.assumptions.overhead_seconds", "limits"),
    Mutation("estimate.py", "longer = np.maximum(compute, memory)", "longer = compute + memory"),
    Mutation("accelerator.py", "return self.peak_flops / self", "return 2 * self.peak_flops / self", notebook=ROOFLINE),
    Mutation("accelerator.py", "intensity * accelerator", "2 * intensity * accelerator", "test_estimate.py", ROOFLINE),
    Mutation("linear.py", "as_count(2 * tokens", "as_count(tokens", "test_linear.py", LAYER),
    Mutation("linear.py", "as_count(d_in * d_out", "as_count(2 * d_in * d_out", "test_linear.py", LAYER),
    Mutation("linear.py", "read_only(2 * tokens * d_in", "read_only(tokens * d_in", "test_linear.py", LAYER, figures=1),
    Mutation("linear.py", "tokens * (d_in + d_out)", "tokens * d_in", "test_linear.py", LAYER, figures=1),
]


# The same runs on an unchanged copy: they must pass, or red would mean nothing.
CONTROLS = sorted({mutation._replace(file="count.py", before="", after="") for mutation in MUTATIONS})


def run_on(folder, *arguments):
    """Start pytest on the cost model in `folder`."""
    environment = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.Popen(
        [*PYTEST, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def write_copy(folder, mutation):
    """The cost model, changed, and the notebook, cut, in one folder."""
    shutil.copytree(ROOT / "lib" / "costmodel", folder / "costmodel", ignore=shutil.ignore_patterns("__pycache__"))
    if mutation in MUTATIONS:
        source = folder / "costmodel" / mutation.file
        text = source.read_text(encoding="utf-8")
        assert text.count(mutation.before) == 1, f"{mutation.before!r} must stand once in {mutation.file}"
        source.write_text(text.replace(mutation.before, mutation.after), encoding="utf-8")
    notebook = json.loads((ROOT / "notebooks" / mutation.notebook).read_text(encoding="utf-8"))
    figures = [i for i, cell in enumerate(notebook["cells"]) if "text/html" in json.dumps(cell.get("outputs", []))]
    notebook["cells"] = notebook["cells"][: figures[mutation.figures]]
    (folder / mutation.notebook).write_text(json.dumps(notebook), encoding="utf-8")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """For each mutation and control the exit code of its unit tests, and whether its notebook failed.

    All notebooks run in one session of nbval. Each has a kernel of its own, which imports first from the notebook's
    folder, where the copy lies.
    """
    root = tmp_path_factory.mktemp("mutations")
    folders = {mutation: root / f"copy{i}" for i, mutation in enumerate(CONTROLS + MUTATIONS)}
    for mutation, folder in folders.items():
        write_copy(folder, mutation)
    nbval = run_on("", "-p", "nbval.plugin", "--nbval", "--rootdir", root, "-c", os.devnull, root)
    exit_codes = {}
    for mutation, folder in folders.items():
        tests = run_on(folder, "-x", ROOT / "tests" / "unit" / mutation.tests)
        tests.communicate(timeout=60)
        exit_codes[mutation] = tests.returncode
    report = nbval.communicate(timeout=240)[0]
    assert re.search(r"^\d+ failed, \d+ passed in", report, re.MULTILINE), report
    failed = set(re.findall(r"^FAILED .*?(copy\d+)/", report, re.MULTILINE))
    return {mutation: (exit_codes[mutation], folder.name in failed) for mutation, folder in folders.items()}


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: f"{control.tests}, {control.notebook}")
def test_nothing_fails_on_an_unchanged_copy(runs, control):
    assert runs[control] == (pytest.ExitCode.OK, False)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: f"{mutation.file}: {mutation.after}")
def test_unit_tests_and_a_notebook_see_a_changed_coefficient(runs, mutation):
    assert runs[mutation] == (pytest.ExitCode.TESTS_FAILED, True)

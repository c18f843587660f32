"""The code that measures: on machines made up for the test, whose speed is known, and on this one."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import date
from pathlib import Path

import numpy as np
import pytest

import measurements
from costmodel import EXACT, Model, count, prefill
from course import machine
from course.figures import your_machine

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
TINY = Model("Tiny", layers=1, d_model=48, heads=4, kv_heads=2, head_dim=10, d_ff=96, vocab=7, weight_dtype="fp32")
SHAPES = {"q": (48, 40), "k": (48, 20), "v": (48, 20), "o": (40, 48)}
SHAPES |= {"gate": (48, 96), "up": (48, 96), "down": (96, 48)}
WEIGHTS = sum(d_in * d_out for d_in, d_out in SHAPES.values())


class MadeUp:
    """A machine that obeys the roofline to the digit, with a clock of its own; it notes what it is asked to do."""

    def __init__(self, monkeypatch, peak_flops, bandwidth):
        self.peak_flops, self.bandwidth = peak_flops, bandwidth
        self.now, self.products, self.copied_bytes = 0.0, [], 0
        monkeypatch.setattr(machine, "perf_counter", lambda: self.now)
        monkeypatch.setattr(machine, "_threads", lambda: 1)
        monkeypatch.setattr(np, "matmul", self.matmul)
        monkeypatch.setattr(np, "copyto", self.copyto)

    def matmul(self, x, w, out):
        assert out.shape == (x.shape[0], w.shape[1])
        self.products.append((x.shape, w.shape))
        self.now += max(2 * x.shape[0] * w.size / self.peak_flops, w.nbytes / self.bandwidth)

    def copyto(self, target, source):
        self.copied_bytes += source.nbytes
        self.now += (source.nbytes + target.nbytes) / self.bandwidth


def test_a_machine_of_known_speed_is_measured_right(monkeypatch):
    made_up = MadeUp(monkeypatch, peak_flops=1e12, bandwidth=5e10)
    run = machine.measure(TINY, budget_seconds=1)
    assert run.bandwidth == pytest.approx(5e10) and run.peak_flops == pytest.approx(1e12)
    assert run.rows == machine.ROWS and run.accelerator.ridge == pytest.approx(20)
    np.testing.assert_allclose(run.seconds, your_machine.predicted_seconds(run), rtol=1e-6)
    bound_by_compute = np.diff(run.seconds) > 1e-12
    assert not bound_by_compute[:5].any() and bound_by_compute[5:].all()  # the ridge is at 40 rows of four-byte weights
    assert made_up.copied_bytes % (4 * WEIGHTS) == 0 and made_up.copied_bytes > 4 * WEIGHTS


def test_flops_and_bytes_are_those_of_the_arrays_that_are_multiplied(monkeypatch):
    made_up = MadeUp(monkeypatch, peak_flops=1e12, bandwidth=5e10)
    layer = machine.Layer(TINY, most_rows=5)
    (job,) = machine._passes(layer, [3])
    job.run()
    assert [w for _, w in made_up.products] == list(SHAPES.values())
    assert all(x == (3, w[0]) for x, w in made_up.products)
    assert job.work == sum(2 * x[0] * x[1] * w[1] for x, w in made_up.products) == 2 * 3 * WEIGHTS
    assert layer.block.nbytes == sum(weights.nbytes for weights in layer.weights.values()) == 4 * WEIGHTS
    assert all(np.shares_memory(weights, layer.block) for weights in layer.weights.values())

    made_up.products.clear()
    squares = machine._squares()
    squares[0].run()
    edge = machine.SQUARES[0]
    assert made_up.products == [((edge, edge), (edge, edge))] and squares[0].work == 2 * edge**3


def test_the_cost_model_counts_the_same(monkeypatch):
    MadeUp(monkeypatch, peak_flops=1e12, bandwidth=5e10)
    run = machine.measure(TINY, rows=[1, 4], budget_seconds=1)
    work = count(TINY, prefill(np.array(run.rows)), EXACT.accounting)
    parts = "projections", "mlp"
    limits = your_machine.limits(run, run.rows)
    np.testing.assert_allclose(limits["compute"] * run.peak_flops, sum(work.flops_by_part[part] for part in parts))
    np.testing.assert_allclose(limits["memory"] * run.bandwidth, sum(work.bytes_by_part[part] for part in parts))


def test_the_products_are_products():
    layer = machine.Layer(TINY, most_rows=5)
    layer.multiply(2)
    expected = layer._inputs[96][:2].astype(np.float64) @ layer.weights["down"].astype(np.float64)
    np.testing.assert_allclose(layer._outputs[48][:2], expected, rtol=1e-5)
    assert (layer._outputs[48][2:] == 1).all()  # what is not among the rows is not computed


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_copy_moves_all_bytes_once(monkeypatch, threads):
    monkeypatch.setattr(machine, "_threads", lambda: threads)
    copied, really = [], np.copyto
    monkeypatch.setattr(np, "copyto", lambda target, source: (copied.append(source.nbytes), really(target, source)))
    block = np.arange(1000, dtype=np.float32)
    with ThreadPoolExecutor(threads) as pool:
        for number, job in enumerate(machine._copies(block, pool), 1):
            copied.clear()
            job.run()
            assert sum(copied) == block.nbytes and job.work == 2 * block.nbytes
            assert len(copied) == (1 if number == 1 else threads)
    assert number == min(threads, 2)


@pytest.mark.parametrize(("budget_seconds", "largest"), [(0.28, 64), (0.35, 1024), (1, 4096), (60, 4096)])
def test_the_budget_holds_on_a_slow_machine(monkeypatch, budget_seconds, largest):
    """Its smallest square product takes 0.27 s, its passes with 256, 1,024 and 4,096 rows 0.01, 0.04 and 0.16 s."""
    made_up = MadeUp(monkeypatch, peak_flops=1e9, bandwidth=1e9)
    run = machine.measure(TINY, tuple(4**power for power in range(7)), budget_seconds)
    assert made_up.now <= budget_seconds
    assert run.rows == tuple(4**power for power in range(7) if 4**power <= largest)
    assert run.peak_flops == pytest.approx(1e9)


def test_no_time_at_all_gives_the_smallest_of_each(monkeypatch):
    made_up = MadeUp(monkeypatch, peak_flops=1e9, bandwidth=1e9)
    run = machine.measure(TINY, budget_seconds=1e-9)
    assert list(your_machine.curve(run).values["rows"]) == [1]
    assert run.rows == (1,) and made_up.copied_bytes == 4 * WEIGHTS
    assert made_up.products[0] == ((512, 512), (512, 512)) and len(made_up.products) == 1 + len(SHAPES)


def test_the_least_time_counts(monkeypatch):
    made_up = MadeUp(monkeypatch, peak_flops=1e12, bandwidth=1e12)
    undisturbed, calls = made_up.matmul, []

    def disturbed(x, w, out):
        undisturbed(x, w, out)
        calls.append(x)
        made_up.now += 0 if 40 < len(calls) < 80 else 0.01  # neither the first rounds nor the last are undisturbed

    monkeypatch.setattr(np, "matmul", disturbed)
    run = machine.measure(TINY, rows=[1, 2], budget_seconds=2)
    np.testing.assert_allclose(run.seconds, your_machine.predicted_seconds(run), rtol=1e-6)


@pytest.fixture(scope="module")
def fresh():
    """A measurement of the machine that runs the tests, with time enough where others keep it busy."""
    return machine.measure(TINY, rows=(1, 2, 64), budget_seconds=5)


def test_this_machine_is_measured(fresh):
    assert fresh.rows == (1, 2, 64) and len(fresh.seconds) == 3 and min(fresh.seconds) > 0
    assert fresh.matrices == SHAPES and fresh.bytes_per_element == 4
    assert fresh.bandwidth > 1e7 and fresh.peak_flops > 1e7  # bytes and FLOPs per second: no machine is slower
    assert fresh.cores >= 1 and fresh.threads >= 1 and fresh.processor.strip() and fresh.blas.strip()
    assert (fresh.numpy, fresh.date) == (np.__version__, date.today().isoformat())
    assert fresh.accelerator.ridge == fresh.peak_flops / fresh.bandwidth


@pytest.mark.parametrize("get_run", [lambda fresh: fresh, lambda fresh: machine.recorded()], ids=["fresh", "recorded"])
def test_a_run_can_be_drawn(fresh, get_run):
    run = get_run(fresh)
    picture = your_machine.curve(run)
    np.testing.assert_allclose(picture.values["ms per pass, measured"], np.array(run.seconds) * 1e3)
    assert list(picture.values["rows"]) == list(run.rows)
    assert all(word in picture.basis for word in (run.processor, run.date, run.blas, run.numpy, run.layer))
    assert picture.html().count("<svg") == 1


def test_the_cell_that_measures_draws_what_it_measured(monkeypatch, fresh):
    """As a reader runs it who has set measure_here to True."""
    notebook = json.loads((NOTEBOOKS / "06b_your_machine.ipynb").read_text(encoding="utf-8"))
    (cell,) = (text for cell in notebook["cells"] if "measure_here = False" in (text := "".join(cell["source"])))
    shown, budgets = [], []
    monkeypatch.setattr(machine, "measure", lambda budget_seconds: budgets.append(budget_seconds) or fresh)
    known = {"machine": machine, "your_machine": your_machine, "display": shown.append}
    exec(cell.replace("measure_here = False", "measure_here = True"), known)
    assert [picture.alt for picture in shown] == [your_machine.curve(fresh).alt] and budgets[0] < 20


def test_the_command_prints_a_run(fresh):
    """With the least budget, as the layer is that of a real model."""
    command = [sys.executable, "-m", "course.machine", "--seconds", "0.001"]
    fields = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    run = machine.Run(**fields)
    assert fields.keys() == asdict(fresh).keys() and list(run.rows) == [1]
    assert sum(d_in * d_out for d_in, d_out in run.matrices.values()) == 60_817_408


def test_threads_are_those_that_the_environment_allows(monkeypatch):
    for name in ("OPENBLAS", "MKL", "OMP"):
        monkeypatch.delenv(f"{name}_NUM_THREADS", raising=False)
    assert machine._threads() == machine._cores()
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "no number")
    assert machine._threads() == machine._cores()
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert machine._threads() == 3
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert machine._threads() == 1


@pytest.mark.parametrize("rows", [(), (0, 1), (2, 1), (1, 1), (1.0,), (True,)])
def test_rows_must_ascend(rows):
    with pytest.raises(ValueError, match=f"rows must be ascending .*{re.escape(str(tuple(rows)))}"):
        machine.measure(TINY, rows)


@pytest.mark.parametrize("budget_seconds", [0, -1, float("nan"), float("inf"), "x", None, True])
def test_the_budget_must_be_a_finite_number_above_0(budget_seconds):
    error = ValueError if type(budget_seconds) in (int, float) else TypeError
    with pytest.raises(error, match=f"budget_seconds must be a finite number above 0, not {budget_seconds!r}"):
        machine.measure(TINY, budget_seconds=budget_seconds)


def test_the_recorded_runs_have_their_provenance():
    table = measurements.load("cpu_layer")
    assert table.keys() == {"title", "date", "derived_by", "conditions", "method", "runs"}
    assert all(table[field].strip() for field in table if field != "runs")
    assert "python -m course.machine" in table["derived_by"]
    assert not re.search(r"/\w|\\\\|localhost|@", json.dumps(table).replace("B/s", "").replace("FLOP/s", ""))


@pytest.mark.parametrize("run", machine.recorded_runs())
def test_a_recorded_run_is_of_the_layer_that_is_measured(run):
    model = machine.MODEL
    per_layer = (model.parameters_by_part["projections"] + model.parameters_by_part["mlp"]) / model.layers
    assert sum(d_in * d_out for d_in, d_out in run.matrices.values()) == per_layer
    assert tuple(run.rows) == machine.ROWS and len(run.seconds) == len(run.rows)
    assert sum(run.seconds) >= sum(machine.recorded().seconds)


def test_an_unknown_table_is_named():
    with pytest.raises(ValueError, match="name must be one of .*'cpu_layer'.*, not 'gpu'"):
        measurements.load("gpu")

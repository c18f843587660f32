"""`make bench`: the speed of the library, of the build, and the weight of the pages, each beside its limit."""

import gzip
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from timeit import repeat

import numpy as np

from costmodel import H100, LLAMA_3_8B, decode, estimate

ROOT = Path(__file__).parents[1]


def seconds(*command):
    """How long a command takes."""
    start = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def import_ratio(pairs=10):
    """`import costmodel` over `import numpy`, process against process: the median of the pairs."""

    def start(module):
        return seconds(sys.executable, "-c", f"import {module}")

    start("costmodel")  # compiles what is not yet compiled
    return median(start("costmodel") / start("numpy") for _ in range(pairs))


def sweep_ratio(length=1_000_000, runs=15):
    """One estimate over a million batch sizes, in elementwise additions of two float64 arrays of that length."""
    batch = np.arange(1, length + 1)
    a, b = np.random.default_rng(0).random((2, length))
    sweep = median(repeat(lambda: estimate(decode(1000, batch), LLAMA_3_8B, H100), number=1, repeat=runs))
    return sweep / median(repeat(lambda: a + b, number=1, repeat=10 * runs))


def page_weights():
    """Each page's name and its HTML with all figures and frames, in kB gzipped."""
    site = ROOT / "_build" / "html"
    for page in sorted([*site.glob("book/*.html"), *site.glob("notebooks/*.html")]):
        yield page.relative_to(site).as_posix(), len(gzip.compress(page.read_bytes())) / 1e3


def report(what, value, unit, limit):
    """Print a figure beside its limit; True where it keeps to it."""
    verdict = "pass" if value <= limit else "FAIL"
    print(f"{what:<58}{value:>8.2f} {unit:<6} limit {limit:<6.4g} {verdict}", flush=True)
    return value <= limit


if __name__ == "__main__":
    kept = [
        report("make book, the environment in place", seconds("make", "book"), "s", 30),
        report("import costmodel over import numpy", import_ratio(), "times", 4 / 3),
        report("an estimate over 1,000,000 batch sizes, in additions", sweep_ratio(), "times", 60),
        *(report(f"{name}, gzipped", weight, "kB", 400) for name, weight in page_weights()),
    ]
    sys.exit(not all(kept))

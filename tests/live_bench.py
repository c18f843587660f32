"""`make live-bench`: bytes and seconds from the click to the first live figure, and the time of a slider's move.

In the page, in JupyterLite, and in a local JupyterLab such as `make live` starts. Cold is a fresh browser profile, warm
the same profile in a browser started again. Measures page 05, or the notebooks that are named as arguments.
"""

import gzip
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

import chromium
from built_site import DESK, ROOT, SITE, Quiet, serving
from lab import Notebook, serving_lab
from playwright.sync_api import sync_playwright
from twin import PATIENCE

PAGE_05 = "notebooks/05_roofline"
TEXT = (".html", ".js", ".mjs", ".json", ".css", ".svg", ".wasm")  # what a host such as GitHub Pages compresses
MOVES = 20

# Milliseconds from the reader's click to the first frame that shows the new picture.
WATCH = """root => {
  window.milliseconds = [];
  document.addEventListener('pointerdown', () => { window.began = performance.now(); }, true);
  new MutationObserver(() => requestAnimationFrame(() => milliseconds.push(performance.now() - began)))
    .observe(root, {childList: true});
}"""


class Recording(Quiet):
    """A handler that remembers what it sent: files that the browser already had are not sent."""

    sent = []

    def copyfile(self, source, outputfile):
        self.sent.append(Path(self.translate_path(self.path)))
        super().copyfile(source, outputfile)


def megabytes(files):
    """Bytes sent, and what they are with text compressed, in MB."""
    whole, packed = 0, 0
    for file in files:
        content = file.read_bytes()
        whole += len(content)
        packed += len(gzip.compress(content, 6)) if file.suffix in TEXT else len(content)
    return whole / 1e6, packed / 1e6


def in_the_page(page, address, notebook):
    """Runs the first workshop in its page; gives seconds, its first slider, and what a new picture replaces."""
    page.goto(f"{address}/{notebook}.html", wait_until="networkidle")
    Recording.sent.clear()
    workshop = page.locator(".workshop").first
    start = time.perf_counter()
    workshop.get_by_role("button", name="Run live here").click()
    workshop.locator(".workshop-live .frame .fig, .frame:not([data-stop]) .fig").first.wait_for(timeout=PATIENCE)
    return time.perf_counter() - start, workshop.locator("input[type=range]").first, workshop.locator(".frame")


def in_jupyterlite(page, address, notebook):
    """The same in JupyterLite, opened with the page's button, where the reader also has to choose Run All Cells."""
    page.goto(f"{address}/{notebook}.html", wait_until="networkidle")
    Recording.sent.clear()
    start = time.perf_counter()
    with page.context.expect_page() as opened:
        page.locator(".btn-launch-in-browser").click()
    lab = opened.value
    lab.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=PATIENCE)
    lab.get_by_role("menuitem", name="Run", exact=True).click()
    lab.get_by_text("Run All Cells", exact=True).click()
    view = lab.locator(".widget-vbox").first
    view.locator(".fig svg").wait_for(state="attached", timeout=PATIENCE)
    seconds = time.perf_counter() - start
    lab.wait_for_timeout(5000)  # the other cells
    return seconds, *parts(view)


def with_a_local_kernel(page, address, notebook):
    """The same in JupyterLab, after all cells: it draws what is in sight."""
    start = time.perf_counter()
    page.goto(f"{address}/lab/tree/{notebook}.ipynb")
    lab = Notebook(page)
    lab.run_all()
    view = next(lab.views())
    return time.perf_counter() - start, *parts(view)


def parts(view):
    return view.locator(".noUi-base").first, view.locator(".widget-html-content")


def measure(playwright, way, address, notebook, profile):
    """Seconds to the first figure, the files sent until then, and the milliseconds of each move."""
    context = playwright.chromium.launch_persistent_context(
        profile, executable_path=chromium.find(), args=chromium.FLAGS, viewport=DESK
    )
    seconds, slider, place = way(context.pages[0], address, notebook)
    files = list(Recording.sent)
    slider.scroll_into_view_if_needed()
    place.evaluate(WATCH)
    for number in range(MOVES):
        slider.click(position={"x": slider.bounding_box()["width"] * (0.3, 0.6)[number % 2], "y": 2}, force=True)
        slider.page.wait_for_function(f"milliseconds.length > {number}", timeout=PATIENCE)
        slider.page.wait_for_timeout(500)  # as a reader who looks; the handle in JupyterLab glides to its place
    milliseconds = slider.page.evaluate("milliseconds")
    context.close()
    return seconds, files, milliseconds


def report(playwright, way, address, notebook):
    name = way.__name__.replace("_", " ")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for state in ("cold", "warm"):
            seconds, files, milliseconds = measure(playwright, way, address, notebook, profile)
            sent = " and {:.1f} MB ({:.1f} MB with text compressed)".format(*megabytes(files))
            if way is with_a_local_kernel:
                sent = ""  # from this machine to itself
            print(
                f"{notebook} {name}, {state}: first figure after {seconds:.1f} s{sent}; "
                f"a move {median(milliseconds):.0f} ms, longest {max(milliseconds):.0f} ms",
                flush=True,
            )


def main(notebooks):
    with (
        sync_playwright() as playwright,
        serving(SITE, partial(Recording, directory=SITE)) as site,
        tempfile.TemporaryDirectory() as copy,
    ):
        shutil.copytree(ROOT / "notebooks", Path(copy) / "notebooks")
        with serving_lab(sys.executable, copy) as lab:
            for notebook in notebooks:
                report(playwright, in_the_page, site, notebook)
                report(playwright, in_jupyterlite, site, notebook)
                report(playwright, with_a_local_kernel, lab, notebook)


if __name__ == "__main__":
    main(sys.argv[1:] or [PAGE_05])

"""`make live-bench`: bytes and seconds from the click to the first live figure, and the time of a slider's move.

Cold is a fresh browser profile, warm the same profile in a browser started again.
"""

import gzip
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

import chromium
from built_site import DESK, SITE, Quiet, serving
from playwright.sync_api import sync_playwright

NOTEBOOK = "notebooks/05_roofline"
TEXT = (".html", ".js", ".mjs", ".json", ".css", ".svg", ".wasm")  # what a host such as GitHub Pages compresses
MOVES = 20
PATIENCE = 60_000

# Milliseconds from what the reader does to the first frame that shows the new picture.
WATCH = """(root, action) => {
  window.milliseconds = [];
  document.addEventListener(action, () => { window.began = performance.now(); }, true);
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


def in_the_page(context, page):
    """Runs the workshop in its page; gives seconds, and a function that moves a slider."""
    workshop = page.locator(".workshop").first
    start = time.perf_counter()
    workshop.get_by_role("button", name="Run live here").click()
    workshop.locator(".workshop-live .frame .fig, .frame:not([data-stop]) .fig").first.wait_for(timeout=PATIENCE)
    seconds = time.perf_counter() - start
    slider = workshop.locator("input[type=range]").first
    workshop.locator(".frame").evaluate(WATCH, "input")
    return seconds, page, lambda number: slider.press(("ArrowRight", "ArrowLeft")[number % 2])


def in_jupyterlite(context, page):
    """The same in JupyterLite, where the reader also has to choose Run All Cells."""
    start = time.perf_counter()
    with context.expect_page() as opened:
        page.locator(".btn-launch-in-browser").click()
    lab = opened.value
    lab.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=PATIENCE)
    lab.get_by_role("menuitem", name="Run", exact=True).click()
    lab.get_by_text("Run All Cells", exact=True).click()
    view = lab.locator(".widget-vbox").first
    view.locator(".fig svg").wait_for(state="attached", timeout=PATIENCE)
    seconds = time.perf_counter() - start
    lab.wait_for_timeout(5000)  # the other cells
    track = view.locator(".noUi-base").first
    lab.locator(".jp-WindowedPanel-outer").hover()
    while not track.is_visible():  # JupyterLab has shown the last cells, and put the others aside
        lab.mouse.wheel(0, -200)
        lab.wait_for_timeout(100)
    track.scroll_into_view_if_needed()
    view.locator(".widget-html-content").evaluate(WATCH, "pointerdown")

    def move(number):
        track.click(position={"x": track.bounding_box()["width"] * (0.3, 0.6)[number % 2], "y": 2}, force=True)

    return seconds, lab, move


def measure(playwright, address, way, profile):
    """Seconds to the first figure, the files sent until then, and the milliseconds of each move."""
    context = playwright.chromium.launch_persistent_context(
        profile, executable_path=chromium.find(), args=chromium.FLAGS, viewport=DESK
    )
    page = context.pages[0]
    page.goto(f"{address}/{NOTEBOOK}.html", wait_until="networkidle")
    Recording.sent.clear()
    seconds, live, move = way(context, page)
    files = list(Recording.sent)
    for number in range(MOVES):
        move(number)
        live.wait_for_function(f"milliseconds.length > {number}", timeout=PATIENCE)
        live.wait_for_timeout(500)  # as a reader who looks; the handle in JupyterLab glides to its place
    milliseconds = live.evaluate("milliseconds")
    context.close()
    return seconds, files, milliseconds


def main():
    with serving(SITE, partial(Recording, directory=SITE)) as address, sync_playwright() as playwright:
        for name, way in (("in the page", in_the_page), ("JupyterLite", in_jupyterlite)):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
                for state in ("cold", "warm"):
                    seconds, files, milliseconds = measure(playwright, address, way, profile)
                    whole, packed = megabytes(files)
                    print(
                        f"{name}, {state}: first figure after {seconds:.1f} s and {whole:.1f} MB ({packed:.1f} MB with "
                        f"text compressed); a move {median(milliseconds):.0f} ms, longest {max(milliseconds):.0f} ms",
                        flush=True,
                    )


if __name__ == "__main__":
    main()

"""How long a slider of each workshop takes in JupyterLab, from the key to the changed picture: `make slider-time`.

Builds Binder's image in a folder of its own, and prints the median of 20 moves of each workshop's first slider.
"""

import statistics
import tempfile
from pathlib import Path

from image import ROOT, build, served
from lab import Lab, browsing

MOVES = 20
WATCH = """() => {
    window.milliseconds = [];
    document.addEventListener("keydown", () => { window.pressed = performance.now(); }, true);
    const painted = () => window.milliseconds.push(performance.now() - window.pressed);
    const picture = document.querySelector(".widget-vbox .widget-html");
    new MutationObserver(() => requestAnimationFrame(painted)).observe(picture, {childList: true, subtree: true});
}"""


def measure(lab):
    """Milliseconds of each move, back and forth between the slider's start and its neighbour."""
    slider = lab.controls()[0]
    lab.page.evaluate(WATCH)
    for move in range(MOVES):
        lab.press(slider, ("ArrowRight", "ArrowLeft")[move % 2])
        lab.page.wait_for_function(f"milliseconds.length > {move}")
        lab.page.wait_for_timeout(200)  # as a reader who looks
    return lab.page.evaluate("milliseconds")


def main():
    with (
        tempfile.TemporaryDirectory() as folder,
        served(build(Path(folder)), Path(folder) / "home") as address,
        browsing() as browser,
    ):
        for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
            if "data-workshop" not in path.read_text(encoding="utf-8"):
                continue
            lab = Lab(browser, address, f"lab/tree/notebooks/{path.name}")
            lab.run()
            lab.show_workshop()
            moves = measure(lab)
            print(f"{path.stem:24} median {statistics.median(moves):4.0f} ms, longest {max(moves):4.0f} ms", flush=True)
            lab.close()


if __name__ == "__main__":
    main()

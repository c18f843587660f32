"""Python in the page: "Run live here" on each workshop."""

import time
from functools import partial
from urllib.parse import urlsplit

import checks
import pytest
from bs4 import BeautifulSoup
from built_site import DESK, PHONE, SITE, Quiet, serving, toc_pages
from twin import PATIENCE, PATIENCE_SECONDS, Twin

from course.live import Choice

FIRST_WITH_WORKSHOP = toc_pages()[0]

# Counts what Python is asked to draw, and how many questions are open at once.
COUNT_DRAWS = """
window.questions = {draws: 0, open: 0, most: 0};
window.Worker = class extends Worker {
  constructor(file) {
    super(file);
    this.addEventListener('message', ({data}) => { questions.open -= !data.progress; });
  }
  postMessage(question) {
    questions.draws += question[0] === 'draw';
    questions.open += 1;
    questions.most = Math.max(questions.most, questions.open);
    super.postMessage(question);
  }
};
"""

# Moves the first slider while Python draws for the first time.
MOVE_WHILE_DRAWING = """
window.Worker = class extends Worker {
  postMessage(question) {
    if (question[0] === 'draw' && !window.moved) {
      window.moved = document.querySelector('.workshop input[type=range]');
      moved.value = moved.min;
      moved.dispatchEvent(new Event('input'));
    }
    super.postMessage(question);
  }
};
"""


class BreakingOff(Quiet):
    """A server whose connection breaks off in the middle of Pyodide's largest file."""

    def copyfile(self, source, outputfile):
        if self.path.endswith(".wasm"):
            outputfile.write(source.read(1_000_000))
        else:
            super().copyfile(source, outputfile)


def start(workshop, wait=True):
    workshop.get_by_role("button", name="Run live here").click()
    if wait:
        workshop.locator(".workshop-run", has_text="Live:").wait_for(timeout=PATIENCE)


def status(workshop):
    return workshop.locator(".workshop-run [role=status]").inner_text()


def twin_of(workshop):
    return Twin(workshop.get_attribute("data-figures"))


def put(workshop, control, setting):
    """Moves a control as a reader does, with the keyboard or by choosing."""
    field = workshop.locator(f"[id$='-live-{control.argument}']")
    if isinstance(control, Choice) and not control.ordered:
        field.select_option(str(setting))
        return
    ends = {float(field.get_attribute("max")): "End", float(field.get_attribute("min")): "Home"}
    if setting in ends:
        field.press(ends[setting])
    else:
        field.fill(str(setting))
    assert float(field.input_value()) == pytest.approx(setting)


def wait_until(page, true):
    """Waits for what the browser does in its own time."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < end
        page.wait_for_timeout(50)


def test_every_control_redraws_the_figure_in_python(visit, site, page_name):
    page = visit(f"{site}/{page_name}.html")
    for workshop in page.locator(".workshop[data-figures]").all():
        start(workshop)
        first = workshop.locator("[id*=-live-]").first
        assert first.evaluate("control => control === document.activeElement")
        assert 0 <= first.bounding_box()["y"] <= DESK["height"]
        twin, figure = twin_of(workshop), workshop.locator(".frame .fig")
        shown = twin.wait(figure)
        for control in twin.controls:
            for setting in twin.moves(control):
                put(workshop, control, setting)
                twin.set(control, setting)
                shown = twin.wait(figure, shown)
    assert page.troubles == []


def test_the_static_frames_stay_in_use_until_python_draws(visit, site):
    page, held, loaded = visit(f"{site}/{FIRST_WITH_WORKSHOP}.html"), [], []
    page.route("**/pyodide.asm.wasm", lambda route: held.append(route))
    page.context.on("requestfinished", lambda request: loaded.append(SITE / urlsplit(request.url).path.strip("/")))
    workshop = page.locator(".workshop").first
    start(workshop, wait=False)
    workshop.locator(".workshop-run", has_text="of 26 MB").wait_for()
    assert checks.sliders(page, workshop) == []
    reading = workshop.locator(".fig-reading:visible").inner_text()
    assert "MB" in status(workshop)
    page.wait_for_timeout(200)  # until the request is there
    held.pop().continue_()
    workshop.locator(".workshop-run", has_text="Live:").wait_for(timeout=PATIENCE)
    assert round(sum(file.stat().st_size for file in loaded if file.suffix != ".js") / 1e6) == 26
    # the reader's setting is kept
    assert workshop.locator(".fig-reading").inner_text() == reading
    assert page.troubles == []


def test_two_workshops_share_one_python(visit, site):
    first, second = [name for name in toc_pages() if "data-figures=" in (SITE / f"{name}.html").read_text()][1:3]
    html = (SITE / f"{first}.html").read_text()
    other = BeautifulSoup((SITE / f"{second}.html").read_text(), "html.parser").select_one(".workshop")
    html = html.replace('<div class="workshop"', f'{other}<div class="workshop"', 1)

    def both(page):
        page.route(f"**/{first}.html", lambda route: route.fulfill(body=html, content_type="text/html"))

    page = visit(f"{site}/{first}.html", before=both)
    workshops = page.locator(".workshop").all()
    assert len(workshops) == 2
    for workshop in workshops:
        start(workshop, wait=False)
    for workshop in workshops:
        workshop.locator(".workshop-run", has_text="Live:").wait_for(timeout=PATIENCE)
        twin_of(workshop).wait(workshop.locator(".frame .fig"))
    assert len(page.workers) == 1
    assert page.troubles == []


@pytest.mark.parametrize("missing", ["WebAssembly", "Worker"])
def test_a_browser_that_cannot_run_python_is_told_so(visit, site, missing):
    page = visit(
        f"{site}/notebooks/03_linear_layer.html", before=lambda page: page.add_init_script(f"delete window.{missing}")
    )
    workshop = page.locator(".workshop").first
    start(workshop, wait=False)
    assert "This browser cannot run Python" in status(workshop)
    page.locator(".btn-launch-in-browser").click()
    page.locator(".bd-article > [role=status]", has_text="This browser cannot run Python").wait_for()
    assert page.context.pages == [page]
    assert checks.sliders(page, workshop) == []
    assert page.troubles == []


@pytest.mark.parametrize(
    "file", ["live-worker.js", "pyodide.js", "pyodide.asm.wasm", "numpy-*.whl", "prefill_decode-*.whl"]
)
def test_a_failed_download_is_told_and_can_be_tried_again(visit, site, file):
    page = visit(f"{site}/{FIRST_WITH_WORKSHOP}.html")
    page.route(f"**/{file}", lambda route: route.abort())
    workshop = page.locator(".workshop").first
    start(workshop, wait=False)
    workshop.locator(".workshop-run", has_text="Python did not start").wait_for(timeout=PATIENCE)
    assert checks.sliders(page, workshop) == []
    wait_until(page, lambda: page.workers == [])
    page.unroute(f"**/{file}")
    start(workshop)


def test_a_download_that_breaks_off_is_told(visit):
    with serving(SITE, partial(BreakingOff, directory=SITE)) as address:
        page = visit(f"{address}/{FIRST_WITH_WORKSHOP}.html")
        workshop = page.locator(".workshop").first
        start(workshop, wait=False)
        workshop.locator(".workshop-run", has_text="Python did not start").wait_for(timeout=PATIENCE)
        assert "pyodide.asm.wasm" in status(workshop)


def test_a_download_that_stands_still_is_told(visit, site):
    page = visit(f"{site}/{FIRST_WITH_WORKSHOP}.html", before=lambda page: page.clock.install())
    held = []
    page.route("**/numpy-*.whl", lambda route: held.append(route))
    workshop = page.locator(".workshop").first
    start(workshop, wait=False)
    wait_until(page, lambda: held)

    def minute_later():
        page.clock.fast_forward(61_000)
        return "nothing came for 60 seconds" in status(workshop)

    wait_until(page, minute_later)
    assert checks.sliders(page, workshop) == []


def test_a_move_while_python_draws_is_kept(visit, site):
    page = visit(f"{site}/{FIRST_WITH_WORKSHOP}.html", before=lambda page: page.add_init_script(MOVE_WHILE_DRAWING))
    workshop = page.locator(".workshop").first
    start(workshop)
    twin = twin_of(workshop)
    control, slider = twin.controls[0], twin.live.workshop.sliders[0]
    twin.set(control, list(control.options).index(next(iter(slider.stops))))
    assert twin.changes
    twin.wait(workshop.locator(".frame .fig"))


def test_the_values_stay_open_while_the_figure_moves(visit, site):
    page = visit(f"{site}/{FIRST_WITH_WORKSHOP}.html")
    workshop = page.locator(".workshop").first
    start(workshop)
    twin, figure = twin_of(workshop), workshop.locator(".frame .fig")
    figure.locator("summary").click()
    put(workshop, twin.controls[0], 0)
    twin.set(twin.controls[0], 0)
    twin.wait(figure)
    assert figure.locator("table").is_visible()
    page.emulate_media(media="print")
    assert not workshop.locator(".workshop-controls").is_visible()


@pytest.mark.parametrize("viewport", [DESK, PHONE])
def test_nothing_jumps_while_a_live_slider_moves(visit, site, viewport):
    """Page 04 has the longest words, and the most of them."""
    page = visit(f"{site}/notebooks/04_whole_model.html", viewport=viewport)
    workshop = page.locator(".workshop").first
    start(workshop)
    page.wait_for_timeout(500)  # until what is there has been measured
    slider, controls = workshop.locator("input").first, workshop.locator(".workshop-controls")
    heights = set()
    for stop in range(int(slider.get_attribute("max")) + 1):
        slider.fill(str(stop))
        heights.add(round(controls.bounding_box()["height"]))
    assert len(heights) == 1 and stop == 63


def test_who_comes_back_finds_the_sliders_as_they_were(visit, site):
    page = visit(f"{site}/notebooks/05_roofline.html")
    workshop = page.locator(".workshop").first
    names = [slider.get_attribute("aria-valuetext") for slider in workshop.locator("input").all()]
    start(workshop)
    page.goto(f"{site}/book/terms.html")
    page.go_back(wait_until="networkidle")
    sliders = workshop.locator("input").all()[: len(names)]
    assert [slider.get_attribute("aria-valuetext") for slider in sliders] == names


def test_a_page_opened_as_a_file_says_what_it_lacks(visit):
    page = visit((SITE / f"{FIRST_WITH_WORKSHOP}.html").as_uri())
    workshop = page.locator(".workshop").first
    start(workshop, wait=False)
    assert "not from a file" in status(workshop)


def test_never_more_than_one_redraw_waits(visit, site):
    page = visit(f"{site}/{FIRST_WITH_WORKSHOP}.html", before=lambda page: page.add_init_script(COUNT_DRAWS))
    workshop = page.locator(".workshop").first
    start(workshop)
    twin, figure = twin_of(workshop), workshop.locator(".frame .fig")
    control = twin.controls[0]
    field = workshop.locator(f"[id$='-live-{control.argument}']")
    before = page.evaluate("questions.draws")
    field.evaluate("""field => {
      for (let n = 0; n < 30; n++) {
        field.value = n % (Number(field.max) + 1);
        field.dispatchEvent(new Event('input'));
      }
      field.value = field.max;
      field.dispatchEvent(new Event('input'));
    }""")
    twin.set(control, len(control.options) - 1)
    twin.wait(figure)
    assert page.evaluate("questions.draws") - before == 2  # the first move, and the last
    field.scroll_into_view_if_needed()
    box = field.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] - 8, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 8, middle, steps=30)
    page.mouse.up()
    assert field.input_value() == "0"
    twin.set(control, 0)
    twin.wait(figure)
    assert page.evaluate("questions.most") == 1
    assert page.troubles == []

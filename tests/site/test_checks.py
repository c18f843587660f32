"""The checks themselves: each passes a page in order and reports one that is not."""

import json
from itertools import product

import checks
import pytest
from built_site import PHONE, serving

LABELS = [["1", "2", "4"], ["none", "some"]]
SCRIPT = """
for (const workshop of document.querySelectorAll('.workshop')) {
  const sliders = [...workshop.querySelectorAll('input')];
  const stage = workshop.querySelector('.workshop-stage');
  const frames = [...workshop.querySelectorAll('.frame')];
  const show = () => {
    const stop = sliders.map(slider => slider.value).join(',');
    for (const frame of frames) frame.hidden = frame.dataset.stop !== stop;
    for (const slider of sliders) {
      const label = JSON.parse(slider.dataset.labels)[slider.value];
      slider.setAttribute('aria-valuetext', label);
      slider.nextElementSibling.textContent = label;
    }
  };
  stage.append(...frames);
  workshop.querySelector('details').remove();
  workshop.querySelector('.workshop-controls').hidden = false;
  for (const slider of sliders) slider.addEventListener('input', show);
  show();
}
"""


def frame(stop, picture=None):
    stop = ",".join(map(str, stop))
    return f'''<div class="frame" data-stop="{stop}">
        <svg role="img" aria-label="a" width="200" height="40"><rect width="200" height="40" fill="#eee"/>
        <text x="9" y="25">{picture or "at " + stop}</text></svg></div>'''


def slider(number, labels, value):
    return f'''<label for="s{number}">Slider</label><input type="range" id="s{number}" min="0" step="1"
        max="{len(labels) - 1}" value="{value}" data-labels='{json.dumps(labels)}'><output for="s{number}"></output>'''


def workshop(make_frame=frame, start=(1, 0), hidden="hidden", script=SCRIPT):
    """A page with one workshop of two sliders."""
    others = [stop for stop in product(range(3), range(2)) if stop != start]
    return f"""<div class="workshop" data-workshop="try">
        <div class="workshop-controls" {hidden}>{"".join(map(slider, range(2), LABELS, start))}</div>
        <div class="workshop-stage">{make_frame(start)}</div>
        <details class="workshop-frames"><summary>All</summary>{"".join(map(make_frame, others))}</details>
        </div><script>{script}</script>"""


def scripted(old, new):
    """The page with its script changed."""
    assert old in SCRIPT
    return workshop(script=SCRIPT.replace(old, new))


@pytest.fixture
def show(visit, tmp_path):
    """Opens a page with the given body."""
    with serving(tmp_path) as address:

        def open_body(body, **options):
            (tmp_path / "index.html").write_text(
                '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">'
                f'<body style="background: #fff">{body}'
            )
            return visit(f"{address}/index.html", **options)

        yield open_body


def sliders(page):
    return checks.sliders(page, page.locator(".workshop"))


def test_a_workshop_in_order_passes(show):
    page = show(workshop())
    assert sliders(page) == checks.figure_contrast(page) == checks.width(page) == page.troubles == []
    assert checks.frames_in_order(show(workshop(), java_script_enabled=False)) == []


@pytest.mark.parametrize(
    "fault, page",
    {
        "the sliders are hidden": scripted(".hidden = false", ".hidden = true"),
        "still shown": scripted("workshop.querySelector('details').remove();", ""),
        "the frames seen are []": scripted("!== stop", "!== '0,0,0'"),
        "the frames seen are ['1,0', '0,0'": scripted("= frame.dataset.stop !== stop", "= false"),
        "the frames seen are ['1,0']": scripted("slider.addEventListener('input', show)", "void 0"),
        "the texts are": scripted("'aria-valuetext', label", "'aria-valuetext', slider.value"),
        "the outputs are": scripted(".textContent = label", ".textContent = ''"),
        "the slider is at": scripted("'input', show", "'input', () => { slider.value = 0; show(); }"),
        "the picture did not change": workshop(lambda stop: frame(stop, "always the same")),
    }.items(),
)
def test_a_broken_slider_is_reported(show, fault, page):
    assert any(fault in each for each in sliders(show(page)))


def test_a_workshop_that_jumps_is_reported(show):
    def tall(above, below):
        return lambda stop: (
            frame(stop)
            .replace("<svg", f'<p style="margin: 0; height: {20 + above * stop[0]}px"></p><svg')
            .replace("</svg>", f'</svg><p style="margin: 0; height: {20 + below * stop[1]}px"></p>')
        )

    def found(above, below):
        return checks.jumps(show(workshop(tall(above, below))).locator(".workshop"))

    assert found(0, 0) == []
    assert [each[:15] for each in found(5, 0)] == ["the drawing's t", "the workshop's "]
    assert [each[:15] for each in found(0, 5)] == ["the workshop's "]


def test_an_output_wider_than_its_box_is_reported(show):
    body = '<div class="cell_output" style="width: 90px"><pre style="overflow: auto">{}</pre></div>'
    assert checks.wide_outputs(show(body.format("short"))) == []
    assert checks.wide_outputs(show(body.format("long " * 30))) == [f"wider than its box: {('long ' * 12)!r}"]


@pytest.mark.parametrize(
    "fault, page",
    {
        "sliders that cannot work": workshop(hidden=""),
        "the frames are": workshop(lambda stop: "" if stop == (2, 1) else frame(stop)),
        "no figure is seen in the frames ['0,1']": workshop(
            lambda stop: frame(stop).replace("<svg", '<svg display="none"', stop == (0, 1))
        ),
    }.items(),
)
def test_frames_that_a_reader_without_script_misses_are_reported(show, fault, page):
    assert any(fault in each for each in checks.frames_in_order(show(page, java_script_enabled=False)))


@pytest.mark.parametrize(
    "page",
    [
        '<text y="20" fill="#999">faint</text>',
        '<text y="20" opacity="0.4">faint</text>',
        '<rect width="90" height="30" fill="#222"/><text y="20">on dark</text>',
        '<g id="x-text_1"><g style="fill: #999"><path d="M0 0h20v20h-20z"/></g></g>',
        '<path d="M0 0h20v20h-20z"/>',
    ],
)
def test_figure_texts_that_cannot_be_read_are_reported(show, page):
    assert len(checks.figure_contrast(show(f'<svg role="img" aria-label="a">{page}</svg>'))) == 1


def test_a_page_wider_than_a_phone_is_reported(show):
    assert checks.width(show('<div style="width: 400px">wide</div>', viewport=PHONE)) == [
        "the page is 408 px wide in a window of 375 px"
    ]


@pytest.mark.parametrize("body", ["<button></button>", '<p style="color: #aaa">faint</p>', '<svg role="img"></svg>'])
def test_what_axe_objects_to_is_reported(show, body):
    assert len(checks.accessibility(show(f"<title>t</title><main><h1>Title</h1>{body}</main>"))) == 1


@pytest.mark.parametrize(
    "trouble, page",
    {
        "request to another host": '<img alt="" src="http://example.org/a.png">',
        "404": '<img alt="" src="missing.png">',
        "console": "<script>console.error('no')</script>",
        "exception": "<script>throw Error('no')</script>",
    }.items(),
)
def test_trouble_while_loading_is_reported(show, trouble, page):
    assert any(trouble in each for each in show(page).troubles)

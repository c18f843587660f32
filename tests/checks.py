"""What is looked for in a page. Each check returns what is wrong, one line each; an empty list is a pass."""

from functools import partial
from itertools import chain, product

from axe_playwright_python.sync_playwright import Axe

FIGURE = "svg[role=img][aria-label]"  # the theme's icons have no label
AA_CONTRAST = 4.5  # WCAG 2.2, success criterion 1.4.3, for text of any size
# The theme's own: the search field and the theme switch, and the logo, which stands outside of a landmark.
THEMES_OWN = {"label-content-name-mismatch", "region"}
# Docutils marks up a bibliography with roles that have since been withdrawn.
DOCUTILS_OWN = {"exclude": [[".citation-list"]]}

# Each text in a figure: its colour against what is painted under its centre. Matplotlib writes a text as
# <text> or, with fonts as paths, as a group whose id holds "text_".
_FIGURE_TEXTS = """() => {
  const channels = css => {
    const [r, g, b, a = 1] = css.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3])).concat(1);
  const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };
  const opacity = element => {
    let product = 1;
    for (let e = element; e; e = e.parentElement) product *= Number(getComputedStyle(e).opacity);
    return product;
  };
  const paint = (element, x, y) => {  // what one element lays at a point, as [r, g, b, alpha]
    const style = getComputedStyle(element);
    if (!(element instanceof SVGGeometryElement)) return channels(style.backgroundColor);
    if (style.fill === 'none' || style.fill.startsWith('url')) return [0, 0, 0, 0];
    const at = new DOMPoint(x, y).matrixTransform(element.getScreenCTM().inverse());
    if (!element.isPointInFill(at)) return [0, 0, 0, 0];
    const [r, g, b, a] = channels(style.fill);
    return [r, g, b, a * Number(style.fillOpacity) * opacity(element)];
  };
  const found = [];
  for (const svg of document.querySelectorAll('FIGURE')) {
    for (const text of svg.querySelectorAll('text, g[id*="text_"]')) {
      const glyph = text.matches('text') ? text : text.querySelector('use, path');
      const box = text.getBoundingClientRect();
      if (!glyph || !box.width) continue;
      text.scrollIntoView({block: 'center', behavior: 'instant'});
      const {left, top, width, height} = text.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const below = document.elementsFromPoint(x, y).filter(e => !text.contains(e) && !e.closest('use'));
      let ground = [255, 255, 255, 1];
      for (const element of below.reverse()) ground = over(paint(element, x, y), ground);
      const [r, g, b, a] = channels(getComputedStyle(glyph).fill);
      const ink = over([r, g, b, a * opacity(glyph)], ground);
      found.push([svg.getAttribute('aria-label'), text.textContent.trim() || text.id, contrast(ink, ground)]);
    }
  }
  return found;
}"""

# The state of one workshop.
_WORKSHOP = """workshop => ({
  visible: [...workshop.querySelectorAll('.frame')].filter(f => f.checkVisibility()).map(f => f.dataset.stop),
  values: [...workshop.querySelectorAll('input[type=range]')].map(i => i.value),
  texts: [...workshop.querySelectorAll('input[type=range]')].map(i => i.getAttribute('aria-valuetext')),
  outputs: [...workshop.querySelectorAll('output')].map(o => o.textContent.trim()),
  labels: [...workshop.querySelectorAll('input[type=range]')].map(i => JSON.parse(i.dataset.labels)[i.value]),
  controls: workshop.querySelector('.workshop-controls').checkVisibility(),
  details: [...workshop.querySelectorAll('.workshop-frames')].some(d => d.checkVisibility()),
})"""

# Where the drawing stands in a workshop and how high the workshop is, in whole px, at every combination of stops.
_PLACES = """workshop => {
  const sliders = [...workshop.querySelectorAll('input[type=range]')];
  const places = [];
  const visit = number => {
    if (number < sliders.length) {
      for (let stop = 0; stop <= Number(sliders[number].max); stop++) {
        sliders[number].value = stop;
        sliders[number].dispatchEvent(new Event('input'));
        visit(number + 1);
      }
      return;
    }
    const drawing = [...workshop.querySelectorAll('.frame svg')].find(svg => svg.checkVisibility());
    const box = workshop.getBoundingClientRect();
    places.push([drawing.getBoundingClientRect().top - box.top, box.height]);
  };
  visit(0);
  return places;
}"""


def figure_contrast(page):
    """Figure texts that stand out too little from what is under them, and figures without any text."""
    texts = page.evaluate(_FIGURE_TEXTS.replace("FIGURE", FIGURE))
    found = [f"{text!r} in {label!r}: contrast {ratio:.2f}" for label, text, ratio in texts if ratio < AA_CONTRAST]
    shown = page.locator(f"{FIGURE}:visible").count()
    if shown and not texts:
        found.append(f"{shown} figures shown, and no text found in them")
    return found


def accessibility(page):
    """What axe-core objects to. Empties the figures: one is a single image to it, whose label is what it reads."""
    page.locator(FIGURE).evaluate_all("figures => figures.forEach(figure => figure.replaceChildren())")
    violations = Axe().run(page, DOCUTILS_OWN).response["violations"]
    return [
        f"{each['id']}: {[node['target'] for node in each['nodes']]}"
        for each in violations
        if each["id"] not in THEMES_OWN
    ]


def width(page):
    """A page that is wider than its window."""
    root = page.locator("html")
    inner, outer = root.evaluate("root => [root.scrollWidth, root.clientWidth]")
    return [f"the page is {inner} px wide in a window of {outer} px"] if inner > outer else []


def wide_outputs(page):
    """Printed outputs that have to be scrolled sideways."""
    wide = page.locator(".cell_output pre").evaluate_all(
        "all => all.filter(pre => pre.scrollWidth > pre.clientWidth).map(pre => pre.textContent)"
    )
    return [f"wider than its box: {text[:60]!r}" for text in wide]


def frames_in_order(page):
    """Workshops whose frames are not, for a reader without script, one for each stop and in order.

    The frame of the starting stop comes first, the others follow in the sliders' order; each shows a figure.
    """
    found = []
    for workshop in page.locator(".workshop").all():
        name = workshop.get_attribute("data-workshop")
        if workshop.locator(".workshop-controls").is_visible():
            found.append(f"{name}: sliders that cannot work are shown")
        ranges, start = [], []
        for slider in workshop.locator("input[type=range]").all():
            low, high, step = (int(slider.get_attribute(each)) for each in ("min", "max", "step"))
            ranges.append(range(low, high + 1, step))
            start.append(int(slider.get_attribute("value")))
        stops = [",".join(map(str, stop)) for stop in product(*ranges)]
        first = ",".join(map(str, start))
        expected = [first, *(stop for stop in stops if stop != first)]
        frames = workshop.locator(".frame")
        there = frames.evaluate_all("frames => frames.map(frame => frame.dataset.stop)")
        if there != expected:
            found.append(f"{name}: the frames are {there}, expected {expected}")
        if workshop.locator(".workshop-frames").count():
            workshop.locator(".workshop-frames > summary").click()
        hidden = [
            frame.get_attribute("data-stop") for frame in frames.all() if not frame.locator(FIGURE).first.is_visible()
        ]
        if hidden:
            found.append(f"{name}: no figure is seen in the frames {hidden}")
    return found


def workshop_state(workshop):
    """A workshop of which anything else is seen than the frame and the words of its sliders' stop."""
    state = workshop.evaluate(_WORKSHOP)
    found = []
    if not state["controls"]:
        found.append("the sliders are hidden")
    if state["details"]:
        found.append("the list of frames is still shown")
    if state["visible"] != [",".join(state["values"])]:
        found.append(f"the sliders are at {state['values']}, the frames seen are {state['visible']}")
    for part in ("texts", "outputs"):
        if state[part] != state["labels"]:
            found.append(f"the {part} are {state[part]}, expected {state['labels']}")
    return found


def jumps(workshop):
    """What of a workshop moves, by more than a pixel, while its sliders do: the drawing, or all that follows."""
    columns = zip(*workshop.evaluate(_PLACES), strict=True)
    return [
        f"{what} is between {min(column):.0f} and {max(column):.0f} px"
        for what, column in zip(("the drawing's top", "the workshop's height"), columns, strict=True)
        if max(column) - min(column) > 1
    ]


def _place(slider, stop):
    """The point of a slider's track where a stop is, in the window as it is scrolled now."""
    low, high = int(slider.get_attribute("min")), int(slider.get_attribute("max"))
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    thumb = 16  # Chromium's; its centre stays half a thumb within the track's ends
    along = (box["width"] - thumb) * (stop - low) / (high - low)
    return box["x"] + thumb / 2 + along, box["y"] + box["height"] / 2


def _click(page, slider, stop):
    page.mouse.click(*_place(slider, stop))


def _drag(page, slider, stop):
    page.mouse.move(*_place(slider, int(slider.input_value())))
    page.mouse.down()
    page.mouse.move(*_place(slider, stop), steps=5)
    page.mouse.up()


def _mouse_moves(page, slider):
    """Clicks at both ends and a drag to the middle: what, how, and the stop that it must lead to."""
    low, high = int(slider.get_attribute("min")), int(slider.get_attribute("max"))
    yield "click", partial(_click, page, slider, high), high
    yield "click", partial(_click, page, slider, low), low
    middle = (low + high + 1) // 2
    yield "drag", partial(_drag, page, slider, middle), middle


def _key_moves(slider):
    """Home, the arrow through all stops, Home and End: what, how, and the stop that it must lead to."""
    low, high = int(slider.get_attribute("min")), int(slider.get_attribute("max"))
    arrows = [("ArrowRight", stop) for stop in range(low + 1, high + 1)]
    for key, stop in [("Home", low), *arrows, ("Home", low), ("End", high)]:
        yield key, partial(slider.press, key), stop


def sliders(page, workshop):
    """The first things that go wrong when each slider of a workshop is moved by mouse and by keyboard.

    After each move the slider is at the expected stop, that stop's frame alone is seen, and the picture changed.
    """
    if found := workshop_state(workshop):
        return found
    stage = workshop.locator(".workshop-stage")
    for slider in workshop.locator("input[type=range]").all():
        for what, move, stop in chain(_mouse_moves(page, slider), _key_moves(slider)):
            before, picture = slider.input_value(), stage.screenshot()
            move()
            found = workshop_state(workshop)
            if slider.input_value() != str(stop):
                found.append(f"the slider is at {slider.input_value()}, expected {stop}")
            if not found and before != str(stop) and stage.screenshot() == picture:
                found.append(f"the picture did not change from stop {before} to {stop}")
            if found:
                return [f"{slider.get_attribute('id')}, {what} to stop {stop}: {each}" for each in found]
    return []

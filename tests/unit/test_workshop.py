"""Workshops: the static page's frames, the notebook's view and the page's view show the same figure function."""

import json
import re
import sys
from html.parser import HTMLParser

import pytest

from costmodel import DATASHEET, EXACT, H100, LLAMA_3_8B, PLATE, decode, estimate
from course import live, page
from course.output import Picture
from course.style import canvas, drawn_in_style
from course.workshop import WIDGET_VIEW, Slider, Workshop


@drawn_in_style
def toy(batch=1, assumptions=PLATE, model=LLAMA_3_8B, accelerator=H100):
    one = estimate(decode(1000, batch), model, accelerator, assumptions)
    figure, axes = canvas(1)
    axes.plot([batch], [one.seconds], "o")
    axes.set(xlim=(0, 10), ylim=(0, 1))
    return Picture(
        name="toy",
        figure=figure,
        alt=f"{batch} requests take {one.seconds:.6f} s",
        values={"batch": [batch], "seconds": [one.seconds]},
        basis=f"{model.name} on {accelerator.name}: {assumptions}",
        reading=f"{one.seconds:.6f} s",
    )


def workshop():
    return Workshop(
        name="toy",
        figure=toy,
        sliders=(
            Slider("batch", "Requests", {"one": 1, "eight": 8}, start="eight", live={"one": 1, "four": 4, "eight": 8}),
            Slider("assumptions", "Assumptions", {"plate": PLATE, "datasheet": DATASHEET}, start="plate"),
        ),
        live=("compute_efficiency", "bandwidth_efficiency", "model", "accelerator"),
    )


class Tags(HTMLParser):
    """The start tags of a document and what is wrong with its nesting."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.open = [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("input", "use", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag not in ("use", "path"):
            assert self.open.pop() == tag

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def seconds(batch, assumptions):
    return f"{estimate(decode(1000, batch), LLAMA_3_8B, H100, assumptions).seconds:.6f} s"


def test_the_page_holds_a_frame_for_every_combination_of_stops():
    document = Tags(workshop().html())
    assert document.open == []
    stops = [tag["data-stop"] for tag in document.named("div") if "data-stop" in tag]
    assert stops == ["1,0", "0,0", "0,1", "1,1"]
    labels = [tag["aria-label"] for tag in document.named("svg")]
    expected = [(8, PLATE), (1, PLATE), (1, DATASHEET), (8, DATASHEET)]
    assert labels == [f"{batch} requests take {seconds(batch, assumptions)}" for batch, assumptions in expected]


def test_each_slider_is_labelled_and_knows_its_stops():
    document = Tags(workshop().html())
    sliders = document.named("input")
    assert [slider["id"] for slider in sliders] == [label["for"] for label in document.named("label")]
    assert [json.loads(slider["data-labels"]) for slider in sliders] == [["one", "eight"], ["plate", "datasheet"]]
    assert [(slider["min"], slider["max"], slider["value"]) for slider in sliders] == [("0", "1", "1"), ("0", "1", "0")]


def test_the_page_offers_python_only_where_that_shows_more():
    batch, assumptions = workshop().sliders
    as_drawn = Slider("batch", "Requests", batch.stops, start="eight")
    for sliders, more, offered in [
        ((as_drawn, assumptions), (), False),
        ((as_drawn, assumptions), ("model",), True),
        ((batch, assumptions), (), True),
    ]:
        html = Workshop("toy", toy, sliders, live=more).html()
        assert (f'data-figures="{__name__}"' in html) == offered


def test_no_two_frames_share_an_id():
    html = workshop().html()
    identifiers = re.findall(r' id="([^"]+)"', html)
    assert len(identifiers) == len(set(identifiers)) > 4


def test_the_same_workshop_is_drawn_byte_for_byte():
    assert workshop().html() == workshop().html()


def test_a_start_that_is_no_stop_is_refused():
    with pytest.raises(ValueError, match=r"start must be one of the stops \['one'\], not 'two'"):
        Slider("batch", "Requests", {"one": 1}, start="two")
    with pytest.raises(ValueError, match=r"start must be one of the stops \['four'\], not 'one'"):
        Slider("batch", "Requests", {"one": 1}, start="one", live={"four": 4})


def test_an_unknown_live_control_is_refused():
    with pytest.raises(ValueError, match=r"live must hold names of .*not \['knee'\]"):
        live.Live(Workshop("toy", toy, workshop().sliders, live=("knee",)))


def test_a_notebook_shows_the_static_page_and_its_name():
    data, metadata = workshop()._repr_mimebundle_()
    assert data == {"text/html": workshop().html(), "text/plain": f"8 requests take {seconds(8, PLATE)}"}
    assert metadata == {"scrapbook": {"name": "toy", "mime_prefix": ""}}


def test_a_reader_with_a_server_does_not_wait_for_the_frames(monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "a notebook")
    data, _ = workshop()._repr_mimebundle_()
    assert data["text/html"] == workshop().first().html()


def test_with_a_kernel_the_view_comes_along_and_in_colab_it_comes_alone(monkeypatch):
    monkeypatch.setattr("course.workshop._has_kernel", lambda: True)
    data, _ = workshop()._repr_mimebundle_()
    assert data.keys() == {"text/html", "text/plain", WIDGET_VIEW}
    assert data[WIDGET_VIEW].keys() == {"version_major", "version_minor", "model_id"}
    monkeypatch.setitem(sys.modules, "google.colab", None)
    data, _ = workshop()._repr_mimebundle_()
    assert data.keys() == {"text/plain", WIDGET_VIEW}


def test_the_view_redraws_for_every_control():
    box = live.view(workshop())
    *controls, picture = box.children
    batch, assumptions, compute, bandwidth, model, accelerator = controls
    assert seconds(8, PLATE) in picture.value
    batch.value = 4
    assert seconds(4, PLATE) in picture.value
    assumptions.value = DATASHEET
    assert (compute.value, bandwidth.value) == (1.0, 1.0)
    assert seconds(4, DATASHEET) in picture.value
    bandwidth.value = 0.8
    assert f"{estimate(decode(1000, 4), LLAMA_3_8B, H100, EXACT).memory_seconds:.6f} s" in picture.value
    model.value = dict(model.options)["Llama 2 7B"]
    accelerator.value = dict(accelerator.options)["L4"]
    assert "Llama 2 7B on L4: 100% of peak compute, 80% of peak bandwidth" in picture.value


def test_a_new_base_of_assumptions_draws_once(monkeypatch):
    drawn = []
    original = live.Live.picture
    monkeypatch.setattr(live.Live, "picture", lambda self, settings: drawn.append(1) or original(self, settings))
    box = live.view(workshop())
    box.children[1].value = DATASHEET
    assert len(drawn) == 2


def test_the_page_describes_the_controls_and_draws_as_the_view_does():
    controls = json.loads(page.describe(__name__))
    assert [control["argument"] for control in controls] == [
        "batch", "assumptions", "compute_efficiency", "bandwidth_efficiency", "model", "accelerator",
    ]  # fmt: skip
    assert controls[0] == {
        "argument": "batch", "label": "Requests", "options": ["one", "four", "eight"], "ordered": True, "start": 2,
    }  # fmt: skip
    assert controls[2]["least"] > 0 and controls[2]["largest"] == 1.0 and controls[2]["start"] == 0.6
    settings = {control["argument"]: control["start"] for control in controls} | {"batch": 1, "assumptions": 1}
    assert json.loads(page.follow(__name__, json.dumps(settings))) == {
        "compute_efficiency": 1.0, "bandwidth_efficiency": 1.0,
    }  # fmt: skip
    settings |= {"compute_efficiency": 1.0, "bandwidth_efficiency": 1.0}
    assert page.draw(__name__, json.dumps(settings)) == toy(batch=4, assumptions=DATASHEET).html()

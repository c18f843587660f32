"""Where the built site is, which pages it has, and how it is served."""

import re
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build" / "html"
PHONE = {"width": 375, "height": 700}
DESK = {"width": 1280, "height": 900}


def toc_pages():
    """The pages of the table of contents, as paths without suffix, in the reader's order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    return [toc["root"], *(chapter["file"] for part in toc["parts"] for chapter in part["chapters"])]


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and reports nothing."""

    def log_message(self, *_):
        pass


def figure_modules(notebook):
    """The names of the modules whose workshops a committed notebook shows, in order."""
    text = (ROOT / f"{notebook}.ipynb").read_text()
    return [f"course.figures.{name}" for name in dict.fromkeys(re.findall(r"(\w+)\.workshop\(\)", text))]


@contextmanager
def serving(folder, handler=None):
    """Serve `folder` on a free local port, with another `handler` if there is one; gives the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler or partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()

"""Leads from the pages to the live site that `book/_live` builds; nothing is shown where it cannot be built.

Each notebook's page gets a button that opens that notebook in JupyterLite, and each workshop "run live here".
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "_live"))
import parts  # noqa: E402


def add_button(app, pagename, templatename, context, doctree):
    if doctree is None or Path(app.env.doc2path(pagename)).suffix != ".ipynb":
        return
    button = {
        "type": "link",
        "url": f"{context['pathto']('lite/lab/index.html', 1)}?path={pagename}.ipynb",
        "text": "Live",
        "icon": "fas fa-play",
        "tooltip": "Run this notebook in the browser",
        "label": "launch-in-browser",
    }
    context["header_buttons"].insert(0, button)


def setup(app):
    if parts.complete():
        app.add_js_file("live.js", loading_method="defer")
        # after the theme has made its own buttons
        app.connect("html-page-context", add_button, priority=502)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Leads from the pages to the live site that `book/_live` builds; nothing is shown where it cannot be built.

Each notebook's page gets a button that opens that notebook in JupyterLite (its Jupyter Notebook, which leaves it the
width and keeps its address), and each workshop "run live here".
"""

import json
import sys
from pathlib import Path

from sphinx.addnodes import pending_xref

sys.path.insert(0, str(Path(__file__).parents[1] / "_live"))
import parts  # noqa: E402


def add_button(app, pagename, templatename, context, doctree):
    if doctree is None or Path(app.env.doc2path(pagename)).suffix != ".ipynb":
        return
    button = {
        "type": "link",
        "url": f"{context['pathto']('lite/notebooks/index.html', 1)}?path={pagename}.ipynb",
        "text": "Live",
        "icon": "fas fa-play",
        "tooltip": "Run this notebook in the browser",
        "label": "launch-in-browser",
    }
    context["header_buttons"].insert(0, button)


def write_references(app, exception):
    """Write what figures are called, and what references to equations and citations say: name → text.

    Beside the site, for the copies of the notebooks in JupyterLite, which has no book around them to look in.
    """
    if exception:
        return
    env, texts = app.env, {}
    for page in sorted(env.found_docs):
        for name, number in env.toc_fignumbers.get(page, {}).get("figure", {}).items():
            texts[name] = app.config.numfig_format["figure"] % ".".join(map(str, number))
        for node in env.get_doctree(page).findall(pending_xref):
            domain, kind, target = node["refdomain"], node["reftype"], node["reftarget"]
            if (domain, kind) in (("cite", "p"), ("math", "eq")):
                resolved = env.domains[domain].resolve_xref(env, page, app.builder, kind, target, node, node[0])
                texts[target] = resolved.astext()
    file = Path(app.outdir).parent / "references.json"
    file.write_text(json.dumps(texts, ensure_ascii=False), encoding="utf-8")


def setup(app):
    if parts.complete():
        app.add_js_file("live.js", loading_method="defer")
        # after the theme has made its own buttons
        app.connect("html-page-context", add_button, priority=502)
        app.connect("build-finished", write_references)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

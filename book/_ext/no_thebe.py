"""Takes sphinx-thebe out of the pages.

Jupyter Book always loads it. It throws an error on each page, and what it runs comes from another host.
"""

import sphinx_thebe


def setup(app):
    for listeners in app.events.listeners.values():
        listeners[:] = [each for each in listeners if each.handler.__module__ != sphinx_thebe.__name__]
    app.registry.css_files[:] = [each for each in app.registry.css_files if each[0] != "sphinx-thebe.css"]
    return {"parallel_read_safe": True, "parallel_write_safe": True}

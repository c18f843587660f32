"""A figure of another page with a number and a caption of its own.

MyST-NB's `glue:figure` finds only what its own page shows, and its `glue:any` has no caption.
"""

from docutils import nodes
from docutils.parsers.rst import directives
from myst_nb.ext.glue.utils import create_pending_glue_ref
from sphinx.util.docutils import SphinxDirective


class GluedFigure(SphinxDirective):
    """`{glued-figure} KEY`, its notebook in `:doc:`, a label in `:name:` and a paragraph, the caption, as content."""

    required_arguments = 1
    option_spec = {"doc": directives.unchanged_required, "name": directives.unchanged_required}
    has_content = True

    def run(self):
        source, line = self.get_source_info()
        output = create_pending_glue_ref(self.state.document, source, line, self.options["doc"], self.arguments[0])
        (paragraph,) = self.parse_content_to_nodes()
        caption = nodes.caption(paragraph.rawsource, "", *paragraph.children)
        figure = nodes.figure("", output, caption)
        self.set_source_info(figure)
        self.add_name(figure)
        return [figure]


def setup(app):
    app.add_directive("glued-figure", GluedFigure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

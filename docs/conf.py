"""How Sphinx builds the site: ``make docs``. The pages of the API are made from the wings' front doors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import rochull

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "examples")]  # beside this file; what the examples share

import site_pages  # noqa: E402

project = "rochull"
author = "rochull developers"
version = release = rochull.__version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_templates"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
templates_path = ["_templates"]

# The build needs nothing but the repository: no inventories are fetched.
intersphinx_mapping: dict[str, Any] = {}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "rochull"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
# Pages that are no part of a section have nothing to show at the side.
html_sidebars: dict[str, list[str]] = {
    page: [] for page in ("index", "start", "which", "concepts", "papers", "evidence", "compared", "glossary")
}
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 5,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}


sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/[^_]\w*\.py$",
    "ignore_pattern": r"(?:^|/)_",
    "reset_argv": "site_pages.to_scratch",
    "download_all_examples": False,
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
}


def setup(app: Any) -> None:
    """Called by Sphinx; the reference must be there before autosummary looks for its tables."""
    app.connect("config-inited", lambda _app, _config: site_pages.write_reference(HERE / "api"))
    app.connect("source-read", site_pages.link_within)
    app.connect("html-page-context", site_pages.break_code_in_cells)
    app.connect("build-finished", site_pages.write_demo)
    app.connect("autodoc-process-docstring", site_pages.unlink_others)

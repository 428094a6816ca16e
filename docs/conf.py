"""The site: ``make docs`` builds it, without network, and every warning is an error."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import mathjax  # noqa: E402

from agnoboost import __version__  # noqa: E402

project = "agnoboost"
author = "The agnoboost developers"
copyright = "the agnoboost developers"
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    # ours, in _ext
    "checked_pages",
    "mathjax",
    "outside_pages",
    "plain_index",
    "public_names",
    "shared_tables",
]
exclude_patterns = ["_ext"]
templates_path = ["_templates"]
highlight_language = "text"
root_doc = "index"
smartquotes = False  # quotes are code as often as not

# Every reference to a name of ours must lead somewhere; names of others are not looked up, since there is no network.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!agnoboost\b).*")]

myst_enable_extensions = ["colon_fence", "deflist"]  # no dollars: pages speak of money
myst_heading_anchors = 3

maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # types stand with the parameters
autodoc_default_options = {"members": True, "inherited-members": True, "member-order": "bysource"}
numpydoc_show_class_members = False  # the template lists them
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"  # but for the names of ours, which public_names adds

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "ignore_pattern": r"^(?!plot_)",  # scripts for clusters are tested by themselves
    "doc_module": ("agnoboost",),
    "reference_url": {"agnoboost": None},
    "backreferences_dir": "api/examples",
    "within_subsection_order": "gallery_order.ReadingOrder",
    "reset_modules": ("matplotlib", "agnoboost_experiments.house_style.gallery_style"),
    "show_memory": False,
    "write_computation_times": False,
    "copyfile_regex": r".*\.(csv|png)",
    "plot_gallery": True,
    "only_warn_on_example_error": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "agnoboost"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/icon.svg"
html_domain_indices = False
html_copy_source = True
html_show_sourcelink = False
html_sidebars = {"index": [], "which_labels": []}
html_theme_options = {
    "logo": {"text": "agnoboost", "image_light": "_static/icon.svg", "image_dark": "_static/icon.svg"},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
mathjax_path = mathjax.PATH

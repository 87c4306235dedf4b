"""Configuration of Sphinx; builds offline: ``python -m sphinx -W -b html docs docs/_build/html``."""

import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import reference_generator  # noqa: E402

project = "irmx"
author = "The irmx developers"
project_copyright = author
version = release = version_of("irmx")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "reference_generator.mathml_renderer",
]
exclude_patterns = ["_build", "examples", "figures"]
nitpicky = False
smartquotes = False

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
html_math_renderer = "mathml"
myst_heading_anchors = 4

nb_execution_mode = "force"  # notebooks are kept without outputs
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_output_stderr = "warn"
os.environ.setdefault(
    "PYDEVD_DISABLE_FILE_VALIDATION", "1"
)  # the debugger of a kernel warns of Python's frozen modules

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_preprocess_types = True

html_theme = "furo"
html_title = f"irmx {release}"
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["reading.css", "notebooks.css"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "  # what is typed is copied, without prompts; what is printed is not
copybutton_prompt_is_regexp = True


def collapse_sidebar(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """List in the sidebar what is beside a page and above it: to list all pages on all pages takes half of the build."""
    if toctree := context.get("toctree"):
        context["toctree"] = lambda **options: toctree(**{**options, "collapse": True})


def setup(app: Any) -> None:
    """Do so before furo asks for the sidebar."""
    app.connect("html-page-context", collapse_sidebar, priority=400)


reference_generator.write(HERE / "reference", HERE / "figures")

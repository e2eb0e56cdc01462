"""Draw the row above the formula, and the settings in the bar: seed, precision, noise, reset, downloads."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from autodiff_viz.canvas.report import report
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.compare.source import twins_file
from autodiff_viz.export.notebooks import to_marimo, to_notebook
from autodiff_viz.export.python_source import to_python
from autodiff_viz.export.torch_source import to_torch
from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.lab.actions import resampled, reset, set_dtype, set_seed, type_seed, unshelved
from autodiff_viz.lab.asking import hiding
from autodiff_viz.lab.edits.compare import both
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.file_names import FILE_NAMES
from autodiff_viz.lab.glossary import GLOSSARY
from autodiff_viz.lab.handout import handout_of
from autodiff_viz.lab.page import ANSWER_FIRST
from autodiff_viz.lab.persistence.address import GRAPH
from autodiff_viz.lab.state import Lab, shows_code, without_draft
from autodiff_viz.language.literals import show_literal
from autodiff_viz.lessons.codec import tour_to_json
from autodiff_viz.standalone.page import html_of_lab
from autodiff_viz.ui.address import too_large
from autodiff_viz.ui.fragments import answered, pressed, renewed
from autodiff_viz.ui.qr_code import qr_code
from autodiff_viz.ui.session import current_session

# The row above the formula editor, which shows the graph as text.


HELP = """One assignment a line: `y = sin(x) * 2.0`. A number alone is an input with a slider.

`stop_gradient(e)`, `rewrite(e, lambda v: ...)`, `custom(e, pullback=lambda v, x, out: ...)` and
`backward_as(e, other)` bend the gradient; `with checkpoint("name"):` opens a checkpoint region.

Code of PyTorch, JAX, TensorFlow or NumPy can be pasted as it is: it is read, never run.

The canvas follows as you type; Ctrl+Enter sends at once, Ctrl+/ makes a line a comment. Tab indents
once you have typed: Escape leaves the text for the canvas."""


def draw_formula_head(lab: Lab, view: LabView) -> None:
    """Draw the row above the editor."""
    with st.container(key="formula_head", horizontal=True, vertical_alignment="center"):
        st.markdown(f":small[{'Code' if shows_code(lab) else 'Formula'}]", help=HELP, width="content")
        st.space("stretch")
        # A button that drops or restores a draft stands in this row, which keeps its height: below the text
        # it would move everything under it.
        button = {"type": "tertiary", "on_click": pressed}
        if lab.draft is not None:
            why = "Show the text of the graph on the canvas instead"
            st.button("Drop my text", key="drop", help=why, args=(without_draft,), **button)
        elif lab.shelved is not None:
            why = "It was put aside when another graph was opened"
            label = "Bring back my unfinished text"
            st.button(label, key="unshelve", help=why, args=(unshelved,), **button)


# The settings in the bar.


KEPT = "Too large for a link: kept in this browser. Save it as JSON to have it elsewhere."
PINNED_KEPT = "The link holds the graph on view alone: both are too large. This browser keeps the pinned one."


def draw_settings(lab: Lab, view: LabView) -> None:
    """Draw the button that opens the controls, and the download buttons, which the file menu presses."""
    with st.popover("Settings", icon=":material/tune:"):
        _draw_seed(lab, view)
        _draw_dtype(lab)
        with st.container(horizontal=True):
            _draw_fresh_starts(view)
        if large := too_large(current_session()):
            st.caption(KEPT if GRAPH in large["fields"] else PINNED_KEPT)
    with st.container(key="downloads"):
        _draw_downloads(view)


def _draw_fresh_starts(view: LabView) -> None:
    st.button(
        "Resample",
        key="resample",
        icon=":material/casino:",
        on_click=pressed,
        args=(resampled,),
        disabled=not view.can_resample,
        help="Draw all noise and all random inputs again, each with the next random seed."
        if view.can_resample
        else "Nothing here is random.",
    )
    st.button(
        "Reset",
        key="reset",
        icon=":material/restart_alt:",
        on_click=pressed,
        args=(reset,),
        help="Back to the first graph. Undo brings yours back.",
    )


_FILES: tuple[tuple[str, Callable[[Lab, str | None], str], str, str, str], ...] = (
    (
        "PyTorch file",
        lambda lab, page: to_torch(lab.graph, lab.seed, dtype=lab.dtype),
        "text/x-python",
        "download_torch",
        "The graph as a Python program that needs torch alone and gives these numbers.",
    ),
    (
        "Jupyter notebook",
        lambda lab, page: to_notebook(lab.graph, lab.seed, dtype=lab.dtype),
        "application/x-ipynb+json",
        "download_notebook",
        "Formula, runnable JAX, expected numbers and a check.",
    ),
    (
        "marimo notebook",
        lambda lab, page: to_marimo(lab.graph, lab.seed, dtype=lab.dtype),
        "text/x-python",
        "download_marimo",
        "The same as an app of marimo.",
    ),
    (
        "Report",
        lambda lab, page: report(trace(lab.graph, seed=lab.seed, dtype=lab.dtype), base=page),
        "text/markdown",
        "download_report",
        "Markdown for an issue: link, formula, numbers, JAX, versions, picture.",
    ),
)
"""Files beside the JAX file: label, writer of the lab and the page's address, kind, key, and hint."""


_ASKING_FILES: tuple[tuple[str, Callable[[Lab, str | None], str], str, str, str], ...] = (
    (
        "Interactive figure",
        lambda lab, page: html_of_lab(lab, page),
        "text/html",
        "download_figure",
        "One file with this canvas and its numbers, which needs no server; it asks what is asked here.",
    ),
    (
        "Handout",
        lambda lab, page: handout_of(lab, page, qr_code),
        "text/html",
        "download_handout",
        "To print: questions, graphs and room for answers, with the answers overleaf; of a tour all steps.",
    ),
)
"""Files, as above, that ask what is asked on the page, and so are written meanwhile too."""


def _draw_downloads(view: LabView) -> None:
    """Draw the download buttons; a file is written on request, of the graph at that time."""
    session = current_session()  # read now; the files are of its state at the time of the request
    page = st.context.url and st.context.url.partition("?")[0]
    st.download_button(
        "JAX file",
        lambda: to_python(session.lab.graph, session.lab.seed, dtype=session.lab.dtype),
        FILE_NAMES["download_python"],
        "text/x-python",
        key="download_python",
        icon=":material/download:",
        on_click="ignore",
        disabled=not view.is_program,
        help="The graph as a Python program that needs JAX alone and prints these numbers.",
    )
    for label, write, kind, key, hint in _FILES:
        st.download_button(
            label,
            lambda write=write: ANSWER_FIRST if hiding(session.lab) else write(session.lab, page),
            FILE_NAMES[key],
            kind,
            key=key,
            icon=":material/download:",
            on_click="ignore",
            disabled=not view.is_program or view.hiding,  # each holds the numbers that are expected
            help=ANSWER_FIRST if view.hiding else hint,
        )
    for label, write, kind, key, hint in _ASKING_FILES:
        st.download_button(
            label,
            lambda write=write: write(session.lab, page),
            FILE_NAMES[key],
            kind,
            key=key,
            icon=":material/download:",
            on_click="ignore",
            disabled=not view.is_program,
            help=hint,
        )
    st.download_button(
        "JSON",
        lambda: to_json(session.lab.graph),
        FILE_NAMES["download_json"],
        "application/json",
        key="download_json",
        icon=":material/download:",
        on_click="ignore",
        help="The graph as data, with its positions.",
    )
    if session.lab.tour is not None:
        st.download_button(
            "Tour",
            lambda: _tour(session.lab),
            FILE_NAMES["download_tour"],
            "application/json",
            key="download_tour",
            on_click="ignore",
        )
    if session.lab.pinned is not None:
        st.download_button(
            "A, B and their difference",
            lambda: _twins(session.lab),
            FILE_NAMES["download_twins"],
            "application/zip",
            key="download_twins",
            on_click="ignore",
        )


def _tour(lab: Lab) -> str:
    """Return the visitor's tour as JSON, or an empty file if it has been closed meanwhile."""
    return tour_to_json(lab.tour) if lab.tour else ""


def _twins(lab: Lab) -> bytes:
    """Return the file of both graphs, or an empty one if nothing is pinned any more."""
    return b"" if lab.pinned is None else twins_file(*both(lab), lab.seed, lab.dtype)


SEED_HELP = f"{GLOSSARY['seed']} One number serves every element; a tensor has one of its own each."


def _draw_seed(lab: Lab, view: LabView) -> None:
    """Draw a number box for a scalar output; for a tensor a field that takes a number or rows of numbers."""
    if view.seed_rows:
        text = "1.0" if lab.seed is None else show_literal(lab.seed)
        key = renewed("seed_text", "", text)
        shared = {"key": key, "on_change": answered, "args": (key, type_seed)}
        st.text_input("Seed cotangent", text, help=SEED_HELP, width=220, **shared)
        return
    number = float(lab.seed) if isinstance(lab.seed, int | float) else 1.0
    key = renewed("seed", "", number)
    limit = limits.NUMBER
    st.number_input(
        "Seed cotangent",
        -limit,
        limit,
        number,
        format="%g",
        step=0.5,
        key=key,
        on_change=answered,
        args=(key, set_seed),
        help=SEED_HELP,
        width=160,
    )


def _draw_dtype(lab: Lab) -> None:
    key = renewed("dtype", "", lab.dtype)
    st.selectbox(
        "Precision",
        list(DTYPES),
        list(DTYPES).index(lab.dtype),
        key=key,
        on_change=answered,
        args=(key, set_dtype),
        help="float32 is JAX's default. float64 has twice the bits; float16 and bfloat16 have half.",
        width=130,
    )

"""Draw the lab, with its parts in their places: the whole page, and what a frame shows of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from autodiff_viz.embedding.contract import Embed
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.page import ANSWER_FIRST
from autodiff_viz.lab.parts import PARTS, in_frame
from autodiff_viz.lab.state import Lab
from autodiff_viz.ui.address import entered, write_address
from autodiff_viz.ui.component import draw_lab, place
from autodiff_viz.ui.fragments import LAB, Draw, whole_page
from autodiff_viz.ui.panels.charts import draw_problems
from autodiff_viz.ui.panels.claims import draw_onward, draw_open_claims, draw_tries
from autodiff_viz.ui.panels.figures import draw_chooser, draw_figure, draw_second
from autodiff_viz.ui.panels.lesson import draw_lesson
from autodiff_viz.ui.panels.segments import draw_segments
from autodiff_viz.ui.panels.settings import draw_formula_head, draw_settings
from autodiff_viz.ui.panels.tensor import draw_tensor
from autodiff_viz.ui.panels.training import draw_curves, draw_surface, draw_track, draw_train

FIGURE = "figure_place"  # key of the container of the figure, which web/dock/visibility.js watches


def lab_page() -> None:
    """Draw the page: the canvas first, slower parts after it.

    After an edit only the parts that it has changed are drawn again, not this page. The keys of the
    containers are for `lab.css`, which places them: a dock of plots below the canvas, a column beside both,
    and the bar above them. `web/dock` says which of them are open.
    """
    session = entered()
    write_address(session)
    with whole_page(session, DRAWS) as draw:
        frame = st.container(key="lab")
        draw(LAB, frame)
        bar = frame.container(key="topbar")
        with bar:
            place("bar")
        draw("settings", bar)  # outside of `with`: a fragment copies every container that has been entered
        with bar:
            place("check")
        _draw_side(frame.container(key="side"), session.lab, draw)
        _draw_dock(frame.container(key="dock"), draw)


def _draw_side(side: DeltaGenerator, lab: Lab, draw: Callable[..., None]) -> None:
    """Draw the column beside the canvas: lesson, problems, formula, sliders, selected node."""
    with side:
        place("panels")
    draw_lesson(side.container(key="lesson_panel"), lab, draw)
    draw("problems", side)
    with side:
        place("notes")
    panel = side.container(key="formula_panel")
    draw("formula_head", panel)
    with panel:
        place("formula")
    with side:
        place("sliders")
    panel = side.container(key="inspector")
    with panel:
        place("node")
    draw("tensor", panel)


def _draw_dock(dock: DeltaGenerator, draw: Callable[..., None]) -> None:
    """Draw the dock below both: training, segments, comparison, figures."""
    with dock:
        place("plots")
    panel = dock.container(key="train_panel")
    for name in ("train", "track", "curves", "surface"):
        draw(name, panel)
    draw("segments", dock.container(key="segments_panel"))
    with dock.container(key="twins_panel"):
        place("twins")
    panel = dock.container(key="figure_panel")
    draw("chooser", panel)
    with panel:
        place("paths")
    draw("figure", panel.container(key=FIGURE))
    draw("second", dock.container(key="second_panel"))


def _concealable(name: str, draw: Draw) -> Draw:
    """Return the function that draws a part, or says that its numbers come after the answer."""

    def drawn(lab: Lab, view: LabView) -> None:
        if not view.hiding or name == LAB or PARTS[name].is_open:
            draw(lab, view)
        elif PARTS[name].waits(lab, view):
            st.caption(ANSWER_FIRST)
            # web/lab.js answers the click: it goes to the question.
            st.button("Answer first", key=f"do_answer_{name}", icon=":material/contact_support:")

    return drawn


def framed_page(embed: Embed) -> None:
    """Draw the lab for a frame: what it shows, in the places of `ui/assets/embed.css`."""
    session = entered()
    session.parts.placed = in_frame(embed.shows)
    with whole_page(session, DRAWS) as draw:
        frame = st.container(key="lab")
        draw(LAB, frame)
        with frame.container(key="frame_sliders"):
            place("sliders")
        with frame.container(key="frame_tabs"):
            place("panes")
        panes = frame.container(key="frame_panes")
        if embed.shows("lesson"):
            draw_lesson(panes.container(key="frame_lesson"), session.lab, draw)
        for control, name in (("formula", "formula"), ("inspector", "node")):
            if embed.shows(control):
                with panes.container(key=f"frame_{control}"):
                    place(name)
        if embed.shows("plot"):
            panel = panes.container(key="frame_plot")
            draw("chooser", panel)
            draw("figure", panel.container(key=FIGURE))
        if embed.shows("check"):
            with frame.container(key="frame_check"):
                place("check")


_DRAWS: Mapping[str, Draw] = {
    LAB: draw_lab,
    "problems": lambda lab, view: draw_problems(PARTS["problems"].data(lab, view)),
    "formula_head": draw_formula_head,
    "settings": draw_settings,
    "tensor": draw_tensor,
    "train": draw_train,
    "track": draw_track,
    "curves": draw_curves,
    "surface": draw_surface,
    "segments": draw_segments,
    "tries": draw_tries,
    "onward": draw_onward,
    "claims": draw_open_claims,
    "chooser": draw_chooser,
    "figure": draw_figure,
    "second": draw_second,
}

DRAWS: Mapping[str, Draw] = {name: _concealable(name, draw) for name, draw in _DRAWS.items()}

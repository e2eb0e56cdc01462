"""The lab page in parts, each a fragment: after an edit only those are drawn again whose data has changed.

An edit reruns the part that it was made in, mostly the canvas. That run asks for another one for all others:
so the numbers are on the page before the rest is worked out, and an edit made meanwhile is done first. A new
visitor's first run is one of the canvas too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from time import monotonic, sleep
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

from autodiff_viz.ui.inbox import MAILED, acked
from autodiff_viz.ui.present import present
from autodiff_viz.ui.session import too_large, write_address
from autodiff_viz.ui.sight.component import is_seen
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.moment import live
from autodiff_viz.views.parts import LESSON, OF_NUMBERS, SHOWS, changed, shows

Draw = Callable[[Lab, LabView], None]

CANVAS_FIRST = 0.3  # seconds that a new visitor's browser has for the canvas before the rest comes
PAUSE = 0.012  # seconds in which the browser gets the numbers and paints them, before the rest is worked out
CHART = 1.0  # seconds between two drawings of a chart that a running training changes
SOON = 0.25  # seconds; when a run follows another one sooner, the end of the first may not have been sent
FIXED = {"canvas", "formula", "sliders", "sweeps", "sight"}
"""Parts that always have the same elements, so that none is left over when the end of a run is lost."""

SHOWN, DRAWN, BEGAN = "shown", "parts_drawn", "parts_began"


def draw_parts(draws: Mapping[str, Draw]) -> Callable[[str], None]:
    """A function that draws the part of a name, as `draws` says, in the container where it is called.

    On a visitor's first run the parts that `ask_for_rest` asks for are drawn only then.
    """
    first = SHOWN not in st.session_state

    def draw(name: str) -> None:
        # What a fragment has sent is dropped when it runs again before that has left the server, its own
        # container too; then those beside it would come to a place that does not exist yet.
        with st.container(key=f"part_{name}"):
            st.fragment(key=name)(lambda: _draw(name, draws[name], first))()

    return draw


def note_shown(name: str) -> None:
    """The part `name` is being drawn, with what it shows now."""
    held = present()
    if name in SHOWS:
        st.session_state.setdefault(SHOWN, {})[name] = shows(name, held.lab, held.view, _beside())


def _beside() -> dict[str, Any]:
    """What parts show beside the lab: what is too large for the address, the edits that are confirmed, and of
    which state of the numbers a part is: one that follows a training is drawn when it has changed itself."""
    large, held = too_large(), present()
    confirmed = {name: acked(name) for name in MAILED}
    states = dict.fromkeys(OF_NUMBERS, None if live(held.lab) else held.state)
    return {**states, **confirmed, "canvas": (large, held.state, confirmed["canvas"]), "settings": large}


def ask_for_rest() -> None:
    """At the end of the whole page: another run, for the parts that a first run has left out."""
    if waiting := _waiting():
        sleep(CANVAS_FIRST)
        _ask_for(waiting)


def _draw(name: str, draw: Draw, first: bool) -> None:
    held, queue = present(), _queue()
    if first and not queue and name in SHOWS and name != "canvas":
        return
    if queue and _is(name, queue[0]):
        st.session_state[BEGAN] = monotonic()
    write_address()
    if name == "figure" and not is_seen("sight"):
        # It is larger than all the rest: it waits until somebody looks.
        st.session_state.get(SHOWN, {}).pop(name, None)
        return
    try:
        note_shown(name)  # before it is drawn: a part that fails must not be asked for without end
        if name in OF_NUMBERS and SHOWS[name](held.lab, held.view) is not None:
            st.html(f'<i data-at="{held.state}"></i>')  # for ui/editor/web/lag.js
        draw(held.lab, held.view)
    finally:
        if queue:
            st.session_state.setdefault(DRAWN, {})[name] = monotonic()
            if _is(name, queue[-1]):
                _ask_for_more(name)


def _queue() -> list[str]:
    """Streamlit's ids of the parts that this run draws; empty when it draws the whole page."""
    ctx = get_script_run_ctx()
    return (ctx.fragment_ids_this_run if ctx else None) or []


def _is(name: str, fragment: str) -> bool:
    return fragment in get_script_run_ctx().fragment_storage.resolve_target(name)


def last_drawn(but: str) -> float:
    """When a part, `but` not this one, was drawn last, by the clock of `monotonic`; 0 before the first."""
    times = st.session_state.get(DRAWN, {})
    return max((time for name, time in times.items() if name != but), default=0.0)


def _ask_for_more(name: str) -> None:
    """Another run, for what the last edit has changed and nobody has drawn yet."""
    if name == "canvas":
        sleep(PAUSE)
    waiting = _waiting()
    cut = _drawn(st.session_state[BEGAN] - SOON, st.session_state[BEGAN])
    if LESSON in waiting:
        _ask_for(())
    elif waiting or cut:
        now = _drawn(st.session_state[BEGAN], monotonic())  # asking for another run cuts this one
        _ask_for(waiting | cut | now)


def _waiting() -> set[str]:
    """The parts that nobody has drawn as they are now, and that shall be."""
    held = present()
    waiting = changed(st.session_state.get(SHOWN, {}), held.lab, held.view, _beside())
    if not is_seen("sight"):
        waiting -= {"figure"}
    if live(held.lab) and monotonic() - st.session_state.get(DRAWN, {}).get("curves", 0.0) < CHART:
        waiting -= {"curves"}
    return waiting


def _drawn(after: float, before: float) -> set[str]:
    """The parts drawn between two times whose left over elements Streamlit removes at the end of a run: it
    does not when the next run begins before that end has been sent, so they must be drawn once more."""
    times = st.session_state.get(DRAWN, {})
    fixed = FIXED | {"track"} if live(present().lab) else FIXED  # a bar that moves stays a bar
    return {name for name, time in times.items() if after <= time < before and name not in fixed}


def _ask_for(names: Collection[str]) -> None:
    """Have the parts of these names drawn after this run; without names, the whole page.

    `st.rerun` takes names of fragments only in a callback, and then runs them in place of what was to run.
    """
    ctx: Any = get_script_run_ctx()
    queue = ctx.fragment_storage.resolve_target([name for name in SHOWS if name in names]) if names else []
    ctx.script_requests.request_rerun(
        RerunData(
            query_string=ctx.query_string,
            page_script_hash=ctx.page_script_hash,
            fragment_id_queue=queue,
            cached_message_hashes=ctx.cached_message_hashes,
            context_info=ctx.context_info,
        )
    )

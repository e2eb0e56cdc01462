"""Share a state of the lab: its links, a QR code, and the code of a frame, as data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from autodiff_viz.asking.question import (
    ALL_COTANGENTS,
    COTANGENT,
    NUMBER,
    Asked,
    Asking,
    Quantity,
    Question,
)
from autodiff_viz.embedding.contract import (
    ASK,
    CONTRACT,
    NOW,
    VERSION,
    Embed,
    embed_link,
    frame_code,
    read_embed,
)
from autodiff_viz.explain.sweep.compute import scalar_inputs
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.persistence.address import GRAPH, HIDDEN, PRESENT, divided, to_query
from autodiff_viz.lab.persistence.short_link import short_query, written
from autodiff_viz.lab.state import Lab, toured_at, without_history
from autodiff_viz.lab.talk import stage_data
from autodiff_viz.lab.tours import go_to
from autodiff_viz.lessons.codec import TOUR

BASE, FRAGMENT, STAGE, ASKS, ANSWERS = "base", "fragment", "stage", "asks", "answers"
HEIGHT, WIDTH, RATIO, TITLE = "height", "width", "ratio", "title"
STEPS, OF_TOUR = "steps", "tour"
"""Names of a request: the page's own address, what follows its #, whether links open on a stage, whether they
ask first, whether they have the visitor's own answers; then of a frame; then whether what the talk's steps
draw is wished for, and what of a tour. The other names are parameters of `embedding/contract.py`."""

WHOLE, HERE, ALONE = "", "here", "alone"
"""What of a tour a link has: all of it, from its first step or at the step on view; that step alone, with its
words."""

LEAST, MOST = 120, 4_000  # px of a frame
_FRAGMENT = re.compile(r"[\w=&.,%-]{0,200}", re.ASCII)

DENSE = 10
"""The largest version that a phone reads from the last row, as wide as a tenth of the distance."""


@dataclass(frozen=True, slots=True)
class QrCode:
    """A QR code as a drawing.

    Attributes:
      version: from 1 to 40.
      size: modules a side, with the margin.
      path: the dark modules as an SVG path, of which a module is one unit.
    """

    version: int
    size: int
    path: str


CodeOf = Callable[[str], QrCode | None]
"""Draws a text as a QR code; None if it is too long."""


def share_data(lab: Lab, wish: Mapping[str, str], code_of: CodeOf) -> dict[str, Any]:
    """Return the links, the code and the frame of a state as the browser shows them (`web/share/links.js`).

    Args:
      wish: what is wished for, by the names above. Untrusted.
      code_of: draws the code.
    """
    base = wish.get(BASE, "")[: limits.LINE].partition("?")[0].partition("#")[0]
    fragment = wish.get(FRAGMENT, "")
    end = f"#{fragment}" if fragment and _FRAGMENT.fullmatch(fragment) else ""
    look = {PRESENT: wish[STAGE]} if wish.get(STAGE) in STAGES else {}
    lab = lab if wish.get(ANSWERS) else unanswered(lab)
    lab = asking_first(lab) if wish.get(ASKS) else lab
    here, lab = lab, of_tour(lab, wish.get(OF_TOUR, WHOLE))
    state, kept = short_query(lab), divided(lab)[1]
    link, short = (_address(base, query, end) for query in ({**look, **to_query(lab)}, {**look, **state}))
    code, says = code_of(short), ""
    if code is None and lab.tour is not None and not kept:
        code = code_of(_address(base, {**look, **short_query(of_tour(here, ALONE))}, end))
        says = OF_ONE_STEP if code else ""
    return {
        "wish": dict(wish),
        "link": link,
        "short": short,
        "elsewhere": bool({GRAPH, TOUR} & kept.keys()),
        "file": "download_tour" if TOUR in kept else "download_json",
        "code": code and {"version": code.version, "size": code.size, "path": code.path},
        "says": says + _says(lab, state, kept, short, None if says else code),
        "alone": bool(says),
        **_frame(base, state, wish, lab),
        **({"steps": stage_data(lab)} if wish.get(STEPS) else {}),
    }


def unanswered(lab: Lab) -> Lab:
    """Return the lab with its questions as others get them: what a rehearsal answered tells too much."""
    return lab if lab.asking is None else replace(lab, asking=lab.asking.unanswered)


def asking_first(lab: Lab) -> Lab:
    """Return the lab as a class gets it: where nothing is asked, it asks what arrives.

    That is asked of the selected node, or of the first input.
    """
    if lab.asking is not None:
        return lab
    source = next((node.name for node in lab.graph.nodes if node.op == INPUT), None)
    about = lab.selected or source
    if about is None:
        return lab
    question = Question(NUMBER, Quantity(COTANGENT, about))
    return replace(lab, asking=Asking(ALL_COTANGENTS, (Asked(question),)))


OF_ONE_STEP = "This is the code of the step on view alone. "


def of_tour(lab: Lab, which: str) -> Lab:
    """Return the lab whose link has of its tour what is wished for; the lab itself without any steps."""
    if lab.tour is None or not lab.tour.steps or which == HERE:
        return lab
    if which == ALONE:
        step, intro = lab.tour.steps[lab.at], "" if lab.at else lab.tour.text
        if intro or step.caption or step.text:
            return toured_at(lab, replace(lab.tour, text=intro, steps=(step,)), 0)
        present = lab.history.present._replace(toured=None)
        return replace(lab, history=replace(lab.history, present=present))
    try:
        return without_history(go_to(lab, lab.tour, 0))
    except GraphError:  # of an own lesson that was written by hand, say
        return lab


STAGES = ("", HIDDEN)
"""Values of the parameter of a stage in links."""


def _address(base: str, query: dict[str, str], end: str) -> str:
    return base + (f"?{written(query)}" if query else "") + end


def _frame(base: str, state: dict[str, str], wish: Mapping[str, str], lab: Lab) -> dict[str, Any]:
    """Return the address of a frame, its code, and what can be chosen, if a height is wished for."""
    height = _pixels(wish.get(HEIGHT))
    if height is None:
        return {}
    # The words of a tour are shown, which a frame would not show otherwise.
    usual = {"show": OF_A_TOUR} if lab.tour is not None and lab.tour.steps else {}
    chosen = read_embed({**usual, **wish, "embed": "1", "v": VERSION}) or Embed()
    address = embed_link(base, state, chosen)
    title = wish.get(TITLE, "")[: limits.LINE] or TITLED
    code = frame_code(address, title, height, _pixels(wish.get(WIDTH)), RATIO in wish)
    parameters = [
        {**each, "usual": usual.get(each["name"], each["usual"]), "idle": _idle(lab, each["name"])}
        for each in PARAMETERS
    ]
    if lab.asking is not None:  # its numbers come after an answer in any case
        of_reveal = next(each for each in parameters if each["name"] == "reveal")
        of_reveal["values"] = {**of_reveal["values"], NOW: "at once, but for what is asked"}
    return {"frame": address, "frame_code": code, "parameters": parameters}


def _idle(lab: Lab, name: str) -> list[str]:
    """Return the words of a parameter that change nothing of a frame of this state."""
    if name == "reveal":
        return [ASK] if lab.asking is not None else []
    if name != "show":
        return []
    has = {
        "question": lab.asking is not None,
        "lesson": lab.lesson is not None or (lab.tour is not None and bool(lab.tour.steps)),
        "sliders": bool(scalar_inputs(lab.graph)),
    }
    return [word for word, found in has.items() if not found]


OF_A_TOUR = "canvas,question,lesson,sliders,play,open"
"""What the frame of a tour shows, if nothing else is chosen."""


TITLED = "A computation graph with its gradients"
"""Title of a frame that is given none."""

PARAMETERS = [
    {
        "name": each.name,
        "label": each.label,
        "says": each.says,
        "values": dict(each.values),
        "many": each.many,
        "usual": each.default,
    }
    for each in CONTRACT
    if each.values and each.name not in ("embed", "v", "hide")  # what is not shown is hidden
]
"""What can be chosen of a frame by a widget."""


def _pixels(text: str | None) -> int | None:
    """Read a length; None if it is none."""
    if not text or not text.isascii() or not text.isdigit() or len(text) > 5:
        return None
    return min(max(int(text), LEAST), MOST)


def _says(lab: Lab, state: dict[str, str], kept: Mapping[str, str], link: str, code: QrCode | None) -> str:
    """Return what is to be known of the code, in a sentence; "" for nothing.

    Args:
      kept: what the link has no room for.
    """
    if GRAPH in kept or TOUR in kept:
        what = "tour" if TOUR in kept else "graph"
        return f"This {what} is too large for a link: this browser alone keeps it. Share it as a file."
    if code is not None and code.version <= DENSE:
        return ""
    length = f"{len(link):,} characters"
    what = (
        f"The link has {length}, too many for a QR code."
        if code is None
        else f"A dense code, of {length}: from far away some phones fail."
    )
    return what + _without(lab, len(written(state)))


def _without(lab: Lab, length: int) -> str:
    """Return which part of the state makes a link long, and by how much; "" if none does."""
    history, now = lab.history, lab.history.present
    bare = replace(now.graph, nodes=tuple(replace(node, position=None) for node in now.graph.nodes))
    parts = {
        **_tours_without(lab),
        "the graph that is pinned": replace(lab, history=replace(history, present=now._replace(pinned=None))),
        "the places of the nodes": replace(
            lab, history=replace(history, present=now._replace(graph=bare, text=None))
        ),
        "the training": replace(lab, training=None, step=None),
        "the unfinished text": replace(lab, draft=None, mistakes=(), shelved=None),
    }
    costs = {name: length - len(written(short_query(other))) for name, other in parts.items() if other != lab}
    name, cost = max(costs.items(), key=lambda cost: cost[1], default=("", 0))
    return f" Without {name} it has {cost:,} fewer." if cost > length // 10 else ""


def _tours_without(lab: Lab) -> dict[str, Lab]:
    """Return the lab with a shorter tour, by what that tour is without."""
    tour = lab.tour
    if tour is None or not tour.steps:
        return {}
    words = {"the notes": "notes", "what is said after the answers": "text", "the trainings": "trained"}
    shorter = {
        name: tuple(replace(step, **{field: ""}) for step in tour.steps) for name, field in words.items()
    }
    shorter["the last step of the tour"] = tour.steps[:-1]
    return {
        name: toured_at(lab, replace(tour, steps=steps), min(lab.at, len(steps) - 1))
        for name, steps in shorter.items()
        if steps and steps != tour.steps
    }

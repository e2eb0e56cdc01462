"""Dispatch the edits that canvas, formula and sliders send: each is applied to a lab.

The handlers are in `lab/edits/`, by topic.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from time import thread_time
from typing import Any

from autodiff_viz.canvas.notices import Refusal, refusals
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.edits import (
    blocks,
    choices,
    compare,
    document,
    fields,
    groups,
    mend,
    nodes,
    own_data,
    pieces,
    rules,
)
from autodiff_viz.lab.edits.edit import Edit, Edits
from autodiff_viz.lab.state import Lab, refused

EDITS: Edits = {
    **nodes.EDITS,
    **blocks.EDITS,
    **pieces.EDITS,
    **rules.EDITS,
    **groups.EDITS,
    **document.EDITS,
    **choices.EDITS,
    **fields.EDITS,
    **mend.EDITS,
    **own_data.EDITS,
    **compare.EDITS,
}


def edited(lab: Lab, edit: Edit) -> Lab:
    """Apply one edit from the canvas to a lab.

    The edit is untrusted: a field that is missing or of the wrong type refuses it. An unknown kind has no
    effect.
    """
    try:
        action = EDITS.get(edit.get("kind"))
        after = action(lab, edit) if action else lab
    except GraphError as error:
        after = refused(lab, error)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        message = f"The canvas sent an edit that could not be read: {str(dict(edit))[:200]}."
        after = refused(lab, GraphError(Problem("bad-edit", message, "Reload the page and try again.")))
    return after if after is lab else replace(after, notice=refusals(after.notice, edit.get("seq")))


def _left_out(lab: Lab, edit: Edit) -> Lab:
    """Refuse an edit that comes after the time limit of its message."""
    message = (
        f"So many edits at once take more than {limits.EDIT_SECONDS:g} seconds: the last ones are left out."
    )
    after = refused(
        lab, GraphError(Problem("too-much-at-once", message, "Make them again, fewer at a time."))
    )
    return replace(after, notice=refusals(after.notice, edit.get("seq")))


def edited_all(lab: Lab, edits: Iterable[Edit], seen: Container[Any] = ()) -> Lab:
    """Apply the edits in order.

    A refusal stays in `notice` through later accepted edits until the browser has shown it. Edits after
    `limits.EDIT_SECONDS` of thread time are refused: nobody makes so many by hand.

    Args:
      seen: numbers of the refused edits that the browser has shown.
    """
    unseen = tuple(one for one in lab.notice if isinstance(one, Refusal) and one.seq not in seen)
    began = thread_time()
    for edit in edits:
        lab = edited(lab, edit) if thread_time() - began < limits.EDIT_SECONDS else _left_out(lab, edit)
        unseen = lab.notice or unseen
    return replace(lab, notice=unseen) if unseen and not lab.notice else lab

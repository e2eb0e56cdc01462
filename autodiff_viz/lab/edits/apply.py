"""Dispatch the edits that canvas, formula and sliders send: each is applied to a lab.

The records are in `messages/edits.py`, the handlers in `lab/edits/`, by topic.
"""

from __future__ import annotations

import logging
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from time import thread_time
from typing import Any

from autodiff_viz.canvas.notices import Refusal, refusals
from autodiff_viz.embedding.levels import refusal
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.asking import followed
from autodiff_viz.lab.code import BeingRead
from autodiff_viz.lab.edits import (
    asking,
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
    tours,
)
from autodiff_viz.lab.edits.edit import Handlers, unreadable
from autodiff_viz.lab.state import Lab, refused
from autodiff_viz.messages.edits import Unreadable, read_edit

HANDLERS: Handlers = {
    **nodes.HANDLERS,
    **blocks.HANDLERS,
    **pieces.HANDLERS,
    **rules.HANDLERS,
    **groups.HANDLERS,
    **document.HANDLERS,
    **choices.HANDLERS,
    **fields.HANDLERS,
    **mend.HANDLERS,
    **own_data.HANDLERS,
    **compare.HANDLERS,
    **tours.HANDLERS,
    **asking.HANDLERS,
}

NOT_DONE = Problem(
    "server-error",
    "Something went wrong here, not in your graph: this step was not done.",
    "Your graph is as it was. Try the step again, or reload the page.",
)

TOO_MUCH = Problem(
    "too-much-at-once",
    f"So many edits at once take more than {limits.EDIT_SECONDS:g} seconds: the last ones are left out.",
    "Make them again, fewer at a time.",
)

_log = logging.getLogger(__name__)


def edited(lab: Lab, sent: Mapping[str, Any], level: str | None = None) -> Lab:
    """Decode one edit from the canvas and apply it to a lab.

    The edit is untrusted: a field that is missing or of the wrong type refuses it. An unknown kind has no
    effect. If its handler fails, the lab stays as it is and the page says that the fault is ours.

    Args:
      level: of `embedding.levels.LEVELS`, what may be changed in a frame; None for everything.
    Raises:
      BeingRead: it needs the reading of code which has not come yet.
    """
    try:
        edit = read_edit(sent)
        if level is not None and edit is not None and (why := refusal(edit, level, lab.graph)):
            raise why
        handler = HANDLERS.get(type(edit))  # None of an unknown kind, and of what is no edit of the lab
        after = followed(lab, handler(lab, edit)) if handler else lab
    except Unreadable:
        after = refused(lab, unreadable(sent))
    except GraphError as error:
        after = refused(lab, error)
    except BeingRead:
        raise
    except Exception as error:
        report_fault(type(edit).__name__, error)
        after = refused(lab, GraphError(NOT_DONE))
    # Refusals have the edit's number, by which the browser opens again what was typed.
    return after if after is lab else replace(after, notice=refusals(after.notice, sent.get("seq")))


def report_fault(kind: str, error: Exception) -> None:
    """Log that the handler of an edit has failed: the kind of the edit, and none of its fields."""
    _log.error("An edit of kind %s failed", kind, exc_info=error)


def edited_all(
    lab: Lab, edits: Sequence[Mapping[str, Any]], seen: Container[Any] = (), level: str | None = None
) -> Lab:
    """Apply the edits in order, as `applied` does, up to the first one that has to wait."""
    return applied(lab, edits, seen, level)[0]


def applied(
    lab: Lab, edits: Sequence[Mapping[str, Any]], seen: Container[Any] = (), level: str | None = None
) -> tuple[Lab, int, str]:
    """Apply the edits in order, up to the first one that needs the reading of code which has not come yet.

    A refusal stays in `notice` through later accepted edits until the browser has shown it. Edits after
    `limits.EDIT_SECONDS` of thread time are refused: nobody makes so many by hand.

    Args:
      seen: numbers of the refused edits that the browser has shown.
      level: what may be changed, as in `edited`.
    Returns:
      The lab, the number of edits that were applied, and the code that is waited for; "" for none.
    """
    unseen = tuple(one for one in lab.notice if isinstance(one, Refusal) and one.seq not in seen)
    began = thread_time()
    done, waits = 0, ""
    for edit in edits:
        if thread_time() - began < limits.EDIT_SECONDS:
            try:
                lab = edited(lab, edit, level)
            except BeingRead as error:
                waits = error.text
                break
        else:
            late = refused(lab, GraphError(TOO_MUCH))
            lab = replace(late, notice=refusals(late.notice, edit.get("seq")))
        unseen = lab.notice or unseen
        done += 1
    return replace(lab, notice=unseen) if unseen and not lab.notice else lab, done, waits

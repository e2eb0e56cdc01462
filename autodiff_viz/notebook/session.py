"""Answer the lab in a notebook: the messages of `messages/envelope.py`, in the kernel's own thread.

It is what a server is to a page, for one canvas: no thread, no process, and nothing runs but to answer a
message. What takes longer than an edit (the check, counts, the figure) comes in a second answer, which the
browser asks for when the user is idle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from operator import is_
from typing import Any, NamedTuple

from msgspec import UNSET

from autodiff_viz.canvas.delta import KEPT, delta, shared
from autodiff_viz.canvas.notices import refusals
from autodiff_viz.canvas.slider_tables import INPUTS
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.analysis import program_job
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.verification.view import verification
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.edits.apply import applied, edited
from autodiff_viz.lab.evaluate import sweep_tables
from autodiff_viz.lab.figures import Figured, about, comparison_key, figure_on_view, figured, twin
from autodiff_viz.lab.first_view import Present, drawing, present
from autodiff_viz.lab.inspector.panel import Answers
from autodiff_viz.lab.page import play_data
from autodiff_viz.lab.state import Lab, opened, refused
from autodiff_viz.messages.edits import KINDS, Check
from autodiff_viz.messages.envelope import Answer as Reply
from autodiff_viz.messages.envelope import encoded, read_message
from autodiff_viz.ui.inbox import Inbox, fault, fresh
from autodiff_viz.workers.jobs import TOO_LONG, Answer, Job, done_here, job_of

STILL = 500.0  # ms after an edit until the browser asks for what takes longer, during which no edit is done
REMEMBERED = 24  # answers to jobs
FROM_KERNEL = "Set in the notebook"

NOT_HERE = Problem(
    "not-in-notebook",
    "The lab in a notebook does not do this.",
    "Open the page of the lab for it: av.lab(graph, page=True).",
)


class Shown(NamedTuple):
    """A figure as Plotly's JSON, with the same in a sentence, or why there is none."""

    figure: Any
    words: str


class NotebookSession:
    """One lab in a notebook, and what its browser has of it.

    Attributes:
      lab: the state; each edit replaces it.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._inbox = Inbox()
        self._last: Present | None = None
        self._settled: Lab | None = None  # for which what takes longer has been computed
        self._checked: bytes | None = None  # the check of a large graph that the user has asked for
        self._known: dict[bytes, Answer] = {}
        self._drawings: dict[int, dict[str, Any]] = {}
        self._drawing: dict[str, Any] = {}
        self._made_of: tuple[Any, ...] = ()
        self._rev = self._turn = 0
        self._have: int | None = None
        self._seen = self._details = False
        self._figure: tuple[Any, Shown] | None = None

    @property
    def present(self) -> Present:
        """The view of the lab as it is now."""
        self._last = present(self.lab, self._last)
        return self._last

    @property
    def trace(self) -> Trace | None:
        """The numbers on view; None where the graph cannot be run."""
        view = self.present.view
        return view.evaluated.trace if view.whole else None

    # What Python does.

    def open(self, graph: Graph) -> None:
        """Show another graph; undo returns to the one before."""
        self.lab = opened(self.lab, graph, FROM_KERNEL)

    def select(self, name: str | None) -> None:
        """Select a node.

        Raises:
          GraphError: there is none of this name.
        """
        if name is not None and name not in self.lab.graph:
            raise GraphError(Problem("no-node", f"There is no node {name!r}.", "See widget.graph."))
        self.lab = edited(self.lab, {"kind": "select", "node": name})

    # What the browser sends.

    def take(self, sent: Mapping[str, Any]) -> Reply:
        """Apply a message of the browser, and return the answer to it.

        It is checked, as one that comes to a server is. Whatever interrupts it, the lab is as it was before
        or after all of its edits.
        """
        if problem := fault(sent):
            self.lab = refused(self.lab, GraphError(problem))
            return self.answer()
        message = read_message(sent)
        if message.key is not None and message.key != self._inbox.key:
            return self.answer()
        self._have, self._seen, self._details = message.have, message.seen, message.details
        edits = fresh(sent, self._inbox)
        if edits:
            self._apply(edits, frozenset(message.noticed))
        tables = []
        if 0 < len(message.want) <= INPUTS:
            tables = sweep_tables(self.present.view, dict(message.want))
        play: Any = UNSET
        if message.play is not None and message.play == self.present.state:
            play = encoded(play_data(self.present.view, message.play))
        if not edits and "rest" in sent:
            self._settle()
        return self.answer(tables, play)

    def _apply(self, edits: list[dict[str, Any]], noticed: frozenset[int | None]) -> None:
        lab, done, waits = applied(self.lab, edits, noticed)
        if waits:  # code is read at once in a process that has no workers
            lab = replace(lab, notice=refusals((NOT_HERE,), edits[done]["seq"]))
        self.lab, self._inbox.ack = lab, edits[-1]["seq"]
        for edit in edits:
            if KINDS.get(edit["kind"]) is Check:
                job = self._check()
                self._checked = job.key if job and edit.get("on", True) else None

    # What takes longer.

    def _settle(self) -> None:
        """Compute what the user has not asked for by an edit: the check, counts, the figure on view."""
        view = self.present.view
        if view.complete:
            for job in filter(None, (self._check_wanted(), self._counts())):
                if job.key not in self._known:
                    newest = [*self._known.items()][1 - REMEMBERED :]
                    self._known = {**dict(newest), job.key: _answer_to(job)}
        self._settled = self.lab

    def _check(self) -> Job | None:
        view = self.present.view
        if not view.complete:
            return None
        moving = view.tangents
        direction = () if moving is None else (tuple(sorted(moving.direction.items())),)
        return job_of(verification, view.trace, moving, reads=(view.trace, *direction))

    def _check_wanted(self) -> Job | None:
        """Return the check; of a large graph only once the user has asked for it."""
        job = self._check()
        return job if job and (not self._is_large or job.key == self._checked) else None

    def _counts(self) -> Job | None:
        view, name = self.present.view, self.lab.selected
        if name is None or not view.complete or not view.is_program:
            return None
        return program_job(view.trace, name) if not self._is_large or self._check_wanted() else None

    @property
    def _is_large(self) -> bool:
        return len(self.lab.graph.nodes) > VERIFIED_AT_ONCE

    def _answers(self) -> Answers:
        if not self.present.view.complete:
            return Answers()
        check, counts = self._check_wanted(), self._counts()
        return Answers(
            check=self._known.get(check.key) if check else None,
            checks=check is not None,
            counts=self._known.get(counts.key) if counts else None,
            counting=counts is not None,
            on_request=self._is_large,
        )

    def figure(self) -> Shown | None:
        """Return the figure on view; None while its place is not, and before what takes longer is there."""
        now = self.present
        if not self._seen or self._settled is not self.lab or now.view.hiding:
            return None
        if not now.view.complete:
            return Shown(None, "The figure appears when the graph is complete.")
        name = figure_on_view(self.lab)
        of = about(self.lab, name)
        key = (name, of, now.numbers, comparison_key(self.lab, name))
        if self._figure is None or self._figure[0] != key:
            other = twin(self.lab, now.view) if FIGURES[name].beside else None
            made = figured(name, now.view.trace, of, True, other)
            if isinstance(made, Figured):
                shown = Shown(made.figure, made.words)
            else:
                shown = Shown(None, " ".join(f"{problem.message} {problem.hint}" for problem in made))
            self._figure = key, shown
        return self._figure[1]

    # What the browser gets.

    def answer(self, tables: Any = (), play: Any = UNSET) -> Reply:
        """Return the drawing, or what has changed in it since the one that the browser has."""
        now, answers = self.present, self._answers()
        made_of = (self.lab, now.view, self._details, answers.check, answers.counts, answers.checks)
        if len(made_of) != len(self._made_of) or not all(map(is_, made_of, self._made_of)):
            self._number(drawing(now, None, None, answers, self._details))
            self._made_of = made_of
        self._turn += 1
        due = self._settled is not self.lab
        return Reply(
            **self._changes(),
            socket="",
            tables=encoded(list(tables)),
            page=False,
            due=due,
            rest=STILL if due else None,
            turn=self._turn,
            seen=self._seen,
            key=self._inbox.key,
            ack=self._inbox.ack,
            before=None,
            play=play,
        )

    def _number(self, drawn: dict[str, Any]) -> None:
        """Number the newest drawing and keep it among those that the browser may have."""
        rev = self._rev + 1
        kept = [number for number in self._drawings if number == self._have or number > rev - KEPT]
        newest = shared(self._drawings.get(self._rev), drawn)
        self._rev, self._drawings = rev, {**{n: self._drawings[n] for n in kept}, rev: newest}

    def _changes(self) -> dict[str, Any]:
        newest = self._drawings[self._rev]
        if self._have not in self._drawings:
            return {"rev": self._rev, "full": encoded(newest)}
        patch = delta(self._drawings[self._have], newest)
        return {"rev": self._rev, "base": self._have, "patch": encoded(patch)}


def _answer_to(job: Job) -> Answer:
    """Run a job; one that the user interrupts is not begun again by itself."""
    try:
        return done_here(job)
    except KeyboardInterrupt:
        return Answer(why=TOO_LONG)

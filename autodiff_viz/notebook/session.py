"""Answer the lab in a notebook: the messages of `messages/envelope.py`, in the kernel's own process.

It is what a server is to a page, for one canvas. What takes longer than an edit (the check, counts, the
figure, tables for sliders) is asked for by the browser when the user is idle, and computed beside the
messages; the browser asks again until all of it has come.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from operator import is_
from typing import Any, NamedTuple

from msgspec import UNSET

from autodiff_viz.canvas.arrange import as_first_seen
from autodiff_viz.canvas.delta import KEPT, delta, shared
from autodiff_viz.canvas.notices import refusals
from autodiff_viz.canvas.slider_tables import INPUTS
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.analysis import program_job
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.verification.view import verification
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.edits.apply import applied, edited
from autodiff_viz.lab.evaluate import LabView, sweep_tables
from autodiff_viz.lab.figures import Figured, about, figure_job, figure_on_view, twin
from autodiff_viz.lab.first_view import Present, drawing, present
from autodiff_viz.lab.inspector.panel import Answers
from autodiff_viz.lab.page import play_data
from autodiff_viz.lab.state import Lab, opened, refused
from autodiff_viz.messages.edits import KINDS, Check
from autodiff_viz.messages.envelope import Answer as Reply
from autodiff_viz.messages.envelope import encoded, read_message
from autodiff_viz.notebook.beside import Beside
from autodiff_viz.ui.inbox import Inbox, fault, fresh
from autodiff_viz.workers.jobs import Job, job_of

STILL = 500.0  # ms after an edit until the browser asks for what takes longer, during which no edit is done
AGAIN = 250.0  # ms until it asks again for what has not come
FROM_KERNEL = "Set in the notebook"

NOT_HERE = Problem(
    "not-in-notebook",
    "The lab in a notebook does not do this.",
    "Open the page of the lab for it: av.lab(graph, page=True).",
)
INTERRUPTED = Problem(
    "interrupted", "The kernel was interrupted, so this was not done.", "The graph is as it was before."
)
LATE = "The plot could not be computed in time."


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
        self._checks, self._plots = Beside(), Beside()
        self._drawings: dict[int, dict[str, Any]] = {}
        self._drawing: dict[str, Any] = {}
        self._made_of: tuple[Any, ...] = ()
        self._rev = self._turn = 0
        self._have: int | None = None
        self._seen = self._details = False
        self._figure: tuple[bytes, Shown] | None = None
        self._wanted: Job | None = None  # tables for sliders

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

    @property
    def is_settled(self) -> bool:
        """Whether the browser has asked, idle, for what takes longer, and nothing was edited since."""
        return self._settled is self.lab

    # What Python does.

    def open(self, graph: Graph) -> None:
        """Show another graph, as it is first seen; undo returns to the one before."""
        graph, cards = as_first_seen(graph)
        self.lab = opened(self.lab, graph, FROM_KERNEL)
        self.lab = replace(self.lab, collapsed=self.lab.collapsed | cards)

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

        It is checked, as one that comes to a server is. Where the user interrupts it, the lab is as it was
        before, and says so: what was sent is not done again by itself.
        """
        if problem := fault(sent):
            self.lab = refused(self.lab, GraphError(problem))
            return self.answer()
        message = read_message(sent)
        if message.key is not None and message.key != self._inbox.key:
            return self.answer()
        self._have, self._seen, self._details = message.have, message.seen, message.details
        edits, before = fresh(sent, self._inbox), self.lab
        try:
            if edits:
                self._apply(edits, frozenset(message.noticed))
            if self.lab.graph is not before.graph:  # two threads take turns: the edit has the processor alone
                self._checks.keep(())
                self._plots.keep(())
            wanted = tuple(message.want) if 0 < len(message.want) <= INPUTS else ()
            view = self.present.view
            self._wanted = _tables(view, wanted) if wanted else None
            play: Any = UNSET
            if message.play is not None and message.play == self.present.state:
                play = encoded(play_data(view, message.play))
            if not edits and "rest" in sent:
                self._settled = self.lab
            return self.answer(play)
        except KeyboardInterrupt:
            if not edits:
                raise
            self._inbox.ack = edits[-1]["seq"]
            self.lab = replace(before, notice=refusals((INTERRUPTED,), self._inbox.ack))
            return self.answer()

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

    def _ask(self) -> None:
        """Have computed what is asked for: the check and counts once nothing is edited, tables at once."""
        settled = self._settled is self.lab and self.present.view.complete
        checks = [job for job in (self._check_wanted(), self._counts()) if job]
        plots = [job for job in (self._wanted, self._figure_wanted()) if job]
        (self._checks.ask if settled else self._checks.keep)(checks)
        self._plots.ask(plots)

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
            check=self._checks.answer(check),
            checks=check is not None,
            counts=self._checks.answer(counts),
            counting=counts is not None,
            on_request=self._is_large,
        )

    def _figure_wanted(self) -> Job | None:
        """Return the figure on view; None while its place is not, and while edits are made."""
        view = self.present.view
        if not self._seen or self._settled is not self.lab or view.hiding or not view.complete:
            return None
        name = figure_on_view(self.lab)
        other = twin(self.lab, view) if FIGURES[name].beside else None
        return figure_job(name, view.trace, about(self.lab, name), True, other)

    def figure(self) -> Shown | None:
        """Return the figure on view; None while its place is not, and before it has been computed."""
        view = self.present.view
        if self._seen and self._settled is self.lab and not view.hiding and not view.complete:
            return Shown(None, "The figure appears when the graph is complete.")
        job = self._figure_wanted()
        answer = self._plots.answer(job)
        if job is None or answer is None:
            return None
        if self._figure is None or self._figure[0] != job.key:
            made = answer.value
            if answer.why:
                shown = Shown(None, LATE)
            elif isinstance(made, Figured):
                shown = Shown(made.figure, made.words)
            else:
                shown = Shown(None, " ".join(f"{problem.message} {problem.hint}" for problem in made))
            self._figure = job.key, shown
        return self._figure[1]

    # What the browser gets.

    def answer(self, play: Any = UNSET) -> Reply:
        """Return the drawing, or what has changed in it since the one that the browser has."""
        self._ask()
        now, answers = self.present, self._answers()
        made_of = (self.lab, now.view, self._details, answers.check, answers.counts, answers.checks)
        if len(made_of) != len(self._made_of) or not all(map(is_, made_of, self._made_of)):
            self._number(drawing(now, None, None, answers, self._details))
            self._made_of = made_of
        self._turn += 1
        unsettled = self._settled is not self.lab
        waits = self._checks.is_busy or self._plots.is_busy
        tables = self._plots.answer(self._wanted)
        return Reply(
            **self._changes(),
            socket="",
            tables=encoded(list(tables.value or ()) if tables else []),
            page=False,
            due=unsettled or waits,
            rest=STILL if unsettled else AGAIN if waits else None,
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


def _tables(view: LabView, wanted: tuple[tuple[str, str], ...]) -> Job:
    """Return the job that computes tables for sliders, by input and key, which stands for all numbers."""
    return Job(identity((sweep_tables.__qualname__, wanted)), sweep_tables, (view, dict(wanted)))

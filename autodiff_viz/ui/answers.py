"""Request the answers of workers about the numbers on view, when the user is idle."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from autodiff_viz.figures.derivatives.paths import takes_long
from autodiff_viz.ui.session import Session
from autodiff_viz.ui.work import CHECK, asked, check_job, check_told, is_large, known, workers
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.node.panel import Answers
from autodiff_viz.views.node.whole_program import program_job
from autodiff_viz.views.page.figure_choice import figure_on_view
from autodiff_viz.views.page.paths import listed_here, paths_job
from autodiff_viz.views.training.shown_step import live
from autodiff_viz.workers.jobs import Answer, Job

STILL = 100  # milliseconds after an edit until the browser requests answers, if nothing else is to be drawn
COUNTS = "counts"
PATHS = "paths"  # also the name of their figure


def answers(here: Session, lab: Lab, view: LabView) -> Answers:
    """Return the answers that exist for the state on view, and request those that do not exist yet.

    Nothing is requested in the run of an edit itself, nor while a training changes the numbers. The jobs
    whose answers are pending are noted in `here.awaited`.
    """
    here.awaited = frozenset()
    if not view.complete or live(lab):
        return Answers()
    job = check_job(view)
    checks = not is_large(view) or check_told(view) or here.looks.get(CHECK) == job.key
    counting = lab.selected is not None and view.is_program and (checks or not is_large(view))
    listing = here.parts.seen and PATHS in (figure_on_view(lab), here.parts.second)
    ask = partial(_asked, here) if is_idle(here, lab) else known
    return Answers(
        ask(CHECK, job) if checks else None,
        checks,
        ask(COUNTS, program_job(view.trace, lab.selected, view.moment is not None)) if counting else None,
        counting,
        _paths(here, lab, view, ask) if listing else None,
        listing,
        on_request=is_large(view),
    )


def _asked(here: Session, kind: str, job: Job) -> Answer | None:
    found = asked(here.name, kind, job)
    if found is None:
        here.awaited |= {job.key}
    return found


def _paths(here: Session, lab: Lab, view: LabView, ask: Callable[[str, Job], Answer | None]) -> Answer | None:
    """Return the list of the paths: at once with their figure, or from a worker if it takes long."""
    if is_large(view) or takes_long(view.trace):
        return ask(PATHS, paths_job(view.trace, lab.selected))
    return listed_here(view.trace, lab.selected) if is_idle(here, lab) else None


def is_idle(here: Session, lab: Lab) -> bool:
    """Return whether the browser has requested the parts of the page that follow an edit, and the answers.

    So an edit that another one follows at once is not checked, and on a busy server checks come later.
    """
    return here.parts.settled is lab


def want_check(here: Session, on: bool) -> None:
    """Note whether the user has requested the check of the state on view; if not, cancel a running check."""
    job = check_job(here.present.view)
    here.looks[CHECK] = job.key if job and on else None
    if not on:
        workers().cancel((here.name, CHECK))

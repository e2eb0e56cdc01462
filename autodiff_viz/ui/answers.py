"""Answers of workers about the numbers on view, requested when the user is idle."""

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

    Nothing is requested in the run of an edit itself, nor while a training changes the numbers.
    """
    if not view.complete or live(lab):
        return Answers()
    jobs = _jobs(here, lab, view)
    listing = here.parts.seen and PATHS in (figure_on_view(lab), here.parts.second)
    ask = partial(asked, here.name) if is_idle(here, lab) else known
    return Answers(
        ask(CHECK, jobs[CHECK]) if CHECK in jobs else None,
        CHECK in jobs,
        ask(COUNTS, jobs[COUNTS]) if COUNTS in jobs else None,
        COUNTS in jobs,
        _paths(here, lab, view, ask) if listing else None,
        listing,
        on_request=is_large(view),
    )


def _jobs(here: Session, lab: Lab, view: LabView) -> dict[str, Job]:
    """Return the jobs whose answers are shown: of a large graph only those that the user has requested."""
    check, large = check_job(view), is_large(view)
    found = {}
    if not large or check_told(view) or here.looks.get(CHECK) == check.key:
        found[CHECK] = check
    if lab.selected is not None and view.is_program and (found or not large):
        found[COUNTS] = program_job(view.trace, lab.selected, view.moment is not None)
    return found


def _paths(here: Session, lab: Lab, view: LabView, ask: Callable[[str, Job], Answer | None]) -> Answer | None:
    """Return the list of the paths: at once with their figure, or from a worker if it takes long."""
    if is_large(view) or takes_long(view.trace):
        return ask(PATHS, paths_job(view.trace, lab.selected))
    return listed_here(view.trace, lab.selected) if here.parts.settled is lab else None


def is_idle(here: Session, lab: Lab) -> bool:
    """Whether the browser has requested the parts of the page that follow an edit; answers come with them.

    So an edit that another one follows at once is not checked, and on a busy server checks come later.
    """
    return here.parts.settled is lab


def want_check(here: Session, on: bool) -> None:
    """Note whether the user wants the check of the state on view; if not, a running check is cancelled."""
    job = check_job(here.present.view)
    here.looks[CHECK] = job.key if job and on else None
    if not on:
        workers().cancel((here.name, CHECK))

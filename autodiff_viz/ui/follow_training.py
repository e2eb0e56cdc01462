"""Update the page while a training runs, as often as there is time."""

from __future__ import annotations

from time import monotonic

from autodiff_viz.ui.fragments import last_drawn
from autodiff_viz.ui.session import Session, act
from autodiff_viz.views.training.actions import caught_up

MOST_REST = 1.5  # seconds between two updates, at most


def follow_training(here: Session) -> None:
    """Catch up with a running training, unless drawing it would take too much of the time."""
    newest = here.trainer.training
    if newest is not None and (not newest.running or _is_time(here)):
        here.followed = monotonic()
        catch_up(here)


def catch_up(here: Session) -> None:
    """Give the lab the newest state of the training."""
    newest = here.trainer.training
    if caught_up(here.lab, newest) is not here.lab:
        act(here, caught_up, newest)


def _is_time(here: Session) -> bool:
    """Return whether enough time has passed since the last update.

    Drawing a training takes about a quarter of the time, so that the user's own edits need not wait for it.
    One slow drawing must not delay the next by more than `MOST_REST`.
    """
    before = here.followed or monotonic()
    took = max(0.0, last_drawn(here, but="track") - before)
    return monotonic() - before >= min(3 * took, MOST_REST)

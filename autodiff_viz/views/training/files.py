"""Write a training as a file, to be saved."""

from __future__ import annotations

from autodiff_viz.export.training_source import written_training
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.training.record import settings_of
from autodiff_viz.views.training.shown_step import own


def training_file(lab: Lab) -> str:
    """Return the training of the graph on view as a JAX program, or why there is none, as a comment.

    It makes the steps that have been made, or those that the button makes, from the graph's own parameters,
    with the present rules and settings.
    """
    training = own(lab)
    settings = settings_of(training, lab.plan.settings) if training else lab.plan.settings
    made = len(training) if training else 0
    dtype = training.dtype if made else lab.dtype
    try:
        return written_training(lab.graph, settings, made or lab.plan.steps, dtype)
    except GraphError as error:
        return f"# {error.problems[0].message} {error.problems[0].hint or ''}".rstrip() + "\n"

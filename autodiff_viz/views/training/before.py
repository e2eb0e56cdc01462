"""Fill the training figures before the first step, with the numbers from which it will start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from autodiff_viz.engine.explain.derivatives.statistics import noisy_nodes
from autodiff_viz.engine.training.updates import Records, learned
from autodiff_viz.figures.training.progress import Progress
from autodiff_viz.graph.registries.dtypes import DTYPES
from autodiff_viz.graph.structure.order import descendants, order
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.training.actions import can_train


def before_training(lab: Lab, view: LabView) -> Progress | None:
    """Return loss and arriving cotangents of the numbers on view as the first row of a training.

    None for a graph that cannot be trained, and where the first step would have other numbers than the
    canvas: with another seed, draws of its own, or gradients that are scaled.
    """
    if not learned(lab.graph) or _begins_elsewhere(lab) or can_train(lab, view):
        return None
    found = view.trace
    moved = descendants(found.graph, [node.name for node in learned(found.graph)])
    names = tuple(node.name for node in order(found.graph) if node.name in moved)
    value, cotangent = _norms(found.value, names), _norms(found.cotangent, names)
    loss, one = np.array([float(found.value[found.output])]), np.ones(1)
    none = np.empty((1, 0))
    records = Records(names, (), 0, loss, value, cotangent, np.zeros_like(value), none, one, one == 0)
    return Progress(records, nodes=names, planned=lab.plan.steps)


def _begins_elsewhere(lab: Lab) -> bool:
    """Return whether the first step has other numbers than the canvas."""
    settings = lab.plan.settings
    redrawn = bool(settings.seed) and any(node.param("value") is None for node in learned(lab.graph))
    scaled = settings.loss_scale is not None and DTYPES[lab.dtype].half
    return redrawn or scaled or lab.seed is not None or bool(noisy_nodes(lab.graph))


def _norms(arrays: Mapping[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    return np.array([[np.linalg.norm(np.asarray(arrays[name], np.float64)) for name in names]])

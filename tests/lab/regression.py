"""Define a training that can be worked out by hand: with x = [1, 2], y = [2, 4] and w = 0 at first, the
loss is 2.5 (w - 2)^2, so that each step of 0.02 takes w from 2 - d to 2 - 0.9 d, and the loss of step k is
10 * 0.81^k.
"""

from dataclasses import replace

from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.lab.training import trains
from autodiff_viz.language.parse import parse
from autodiff_viz.training.run import advanced

TEXT = "x = [1.0, 2.0]\ny = [2.0, 4.0]\nw = parameter(0.0)\nloss = mean_squared_error(x * w, y)"


def loss_of(step: int) -> float:
    return 10 * 0.81**step


def weight_of(step: int) -> float:
    return 2 - 2 * 0.9**step


def lab_of(text: str = TEXT) -> Lab:
    return opened(start(), parse(text), "Open")


def finished(lab: Lab, chunk: int = 7) -> Lab:
    """The lab when its training has stopped."""
    while lab.training.running:
        lab = replace(lab, training=advanced(lab.training, chunk))
    return lab


def trained(lab: Lab, steps: int) -> Lab:
    return finished(trains(lab, steps))

"""Read the settings of layers of `torch.nn` from live ones: what the reader makes of their constructors.

A layer keeps its settings as attributes named like the arguments of its constructor. The reader's own
constructor gets them, in a reader that is thrown away, and refuses what it does not read; its tensors are
then those of the live layer.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Instance, Refused
from autodiff_viz.reading.torch.modules import BUILD, FORWARD, OPTIONS

CONTAINERS = frozenset(["Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"])

ELSEWHERE: Mapping[tuple[str, str], Callable[[Any], Any]] = {
    ("PairwiseDistance", "p"): lambda layer: layer.norm,
    ("MultiheadAttention", "bias"): lambda layer: layer.in_proj_bias is not None,
    ("MultiheadAttention", "add_bias_kv"): lambda layer: layer.bias_k is not None,
    ("MultiheadAttention", "kdim"): lambda layer: None if layer.kdim == layer.embed_dim else layer.kdim,
    ("MultiheadAttention", "vdim"): lambda layer: None if layer.vdim == layer.embed_dim else layer.vdim,
}
"""Settings that a layer keeps under another name than that of the argument."""

HIDDEN: Mapping[str, Mapping[str, Any]] = {"LSTM": {"proj_size": 0}}
"""Settings of layers whose constructor names none, with the values at which they are read."""


def layer_name(cls: type, nn: Any) -> str:
    """Return the name in `torch.nn` of what a class of PyTorch computes; "" if it is none that is read."""
    for one in cls.__mro__:
        known = getattr(nn, one.__name__, None) is one and one.__name__ in FORWARD | dict.fromkeys(CONTAINERS)
        if known and getattr(cls, "forward", None) is getattr(one, "forward", None):
            return one.__name__
    return ""


def layer_fields(name: str, layer: Any, value: Callable[[Any], Any], scratch: Reader) -> dict[str, Any]:
    """Return what the reader's layer of a name has as fields, but for its tensors and its modules.

    Args:
      name: of the layer in `torch.nn`.
      layer: the live one.
      value: makes the reader's value of a setting.
      scratch: a reader that is used for nothing else.
    Raises:
      Refused: it has a setting that is not read.
    """
    if name in CONTAINERS:
        return {}
    settings: dict[str, Any] = {}
    ours = [*OPTIONS[name]] if name in OPTIONS else [*inspect.signature(BUILD[name]).parameters][1:]
    theirs = inspect.signature(type(layer).__init__).parameters
    usual = {key: one.default for key, one in theirs.items()} | dict(HIDDEN.get(name, {}))
    for key in dict.fromkeys((*ours, *usual)):
        setting: Any
        if (name, key) in ELSEWHERE:
            setting = ELSEWHERE[name, key](layer)
        elif not hasattr(layer, key):
            continue  # what a constructor uses up: a device, the old options of losses
        else:
            setting = getattr(layer, key)
            if key == "bias":
                setting = setting is not None and setting is not False
            elif name == "AvgPool1d" and isinstance(setting, tuple):
                (setting,) = setting
        if key in ours:
            settings[key] = value(setting)
        elif key == "bias" or key.startswith("_"):
            continue  # the layer has it or has it not
        elif setting != usual[key]:
            raise Refused(
                f"nn.{name} is read with {key}={usual[key]!r}, and this one has {setting!r}.",
                "Use a layer without it, or write what it computes.",
            )
    made = BUILD[name](scratch, **settings)
    return {key: one for key, one in made.items() if not isinstance(one, (Array, Instance))}

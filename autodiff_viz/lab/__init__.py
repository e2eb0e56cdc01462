"""Compute the data of the parts of the lab page other than canvas and selected node; opened by calling it."""

from __future__ import annotations

import sys
from types import ModuleType

from autodiff_viz.lab import launch


class _Opened(ModuleType):
    """The package, which is also the public function `autodiff_viz.lab`."""

    # Python sets `autodiff_viz.lab` to this package whenever a module of it is imported, so a function of
    # that name in `autodiff_viz/__init__.py` would be gone then.
    __call__ = staticmethod(launch.lab)


sys.modules[__name__].__class__ = _Opened

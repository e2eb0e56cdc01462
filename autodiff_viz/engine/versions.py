"""Name the versions that numbers can depend on, in their last digits, and counts of what JAX keeps."""

from __future__ import annotations

from collections.abc import Mapping

import jax.lib
import numpy as np

from autodiff_viz.graph.version import VERSION


def versions() -> Mapping[str, str]:
    """Return the versions on which numbers can depend in their last digits.

    Returns:
      By name: of this program, and of the libraries that compute.
    """
    libraries = {"jax": jax.__version__, "jaxlib": jax.lib.__version__, "numpy": np.__version__}
    return {"autodiff_viz": VERSION, **libraries}


def describe_versions() -> str:
    """Return the versions of this program and of JAX as text."""
    return f"autodiff_viz {VERSION} with JAX {jax.__version__}"

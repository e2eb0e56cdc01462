"""Compiled code on disk, by JAX's persistent compilation cache: what one process has compiled, the server,
its workers and the next start load.

Only `filled` writes there, and only what the project itself runs: visitors cannot make it grow. The code
comes to its place all at once, so that no process ever finds half of it.

Source: https://docs.jax.dev/en/latest/persistent_compilation_cache.html
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time

import jax
import jax.lib
import numpy as np
import optax

NAMED = "JAX_COMPILATION_CACHE_DIR"  # JAX's own: who sets it says where the code is, and what is kept
LIBRARIES = (jax.__version__, jax.lib.__version__, np.__version__, optax.__version__)
"""Versions of all that computes."""

LEAST = "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"  # that a compilation must have taken to be written down
ALWAYS, NEVER = "0", "1e9"
ABANDONED = 3600  # seconds after which nobody is still filling a directory
NO_OTHERS = {"JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES": "none"}
"""XLA's own caches beside JAX's, whose path would be part of the key under which code is found again."""

PLACE, FILLING = "compiled", "filling-"


def variables(directory: Path | None) -> Mapping[str, str]:
    """Variables of the environment with which a process loads code from `directory`, and writes none."""
    if directory is None or os.environ.get(NAMED):
        return {}
    return _variables(directory / PLACE, NEVER)


def _variables(place: Path, seconds: str) -> Mapping[str, str]:
    return {NAMED: str(place), LEAST: seconds, **NO_OTHERS}


def load_from(directory: Path | None) -> None:
    """Have this process do what `variables` says, before it compiles anything."""
    _configure(variables(directory))


def _configure(variables: Mapping[str, str]) -> None:
    for variable, value in variables.items():
        jax.config.update(variable.lower(), float(value) if variable == LEAST else value)


def is_filled(directory: Path | None) -> bool:
    """Whether the code is there, or there is no place of ours for it."""
    return not variables(directory) or any((directory / PLACE).glob("*-cache"))


@contextmanager
def filled(directory: Path) -> Iterator[None]:
    """Put all that is compiled inside `with` in the place from which others load it. For a process that has
    not compiled anything and does nothing else."""
    for path in directory.glob(f"{FILLING}*"):
        if path.stat().st_mtime < time() - ABANDONED:
            shutil.rmtree(path, ignore_errors=True)
    own = tempfile.mkdtemp(prefix=FILLING, dir=directory)
    _configure(_variables(Path(own), ALWAYS))
    yield
    with suppress(OSError):  # another server of this version was sooner
        os.rename(own, directory / PLACE)
    shutil.rmtree(own, ignore_errors=True)

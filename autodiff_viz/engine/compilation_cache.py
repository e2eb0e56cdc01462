"""Keep compiled code on disk, in JAX's persistent compilation cache.

The server, its workers and the next start load what one process has compiled. Only `filled` writes to the
cache, and only programs that the project itself runs, so visitors cannot make the cache grow. A filled
directory is moved to its place by an atomic rename, so no process finds half of it. JAX itself writes its
files in place, and reads a file that is cut off at every start again: so a fill that cannot be written is
thrown away, and the lengths of the files are kept beside them.

Source: https://docs.jax.dev/en/latest/persistent_compilation_cache.html
"""

from __future__ import annotations

import json
import logging
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

NAMED = "JAX_COMPILATION_CACHE_DIR"  # JAX's own variable; an operator who sets it manages the cache
LIBRARIES = (jax.__version__, jax.lib.__version__, np.__version__, optax.__version__)
"""Versions of the libraries that compute."""

LEAST = "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"  # least compile time of what is cached
ALWAYS, NEVER = "0", "1e9"
ABANDONED = 3600  # seconds until an unfinished directory counts as abandoned
NO_OTHERS = {"JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES": "none"}
"""Switches off XLA's own caches beside JAX's, whose path would become part of the cache key."""

RAISED = (
    "JAX_RAISE_PERSISTENT_CACHE_ERRORS"  # otherwise JAX leaves half a file on a full disk, and only warns
)
PLACE, FILLING = "compiled", "filling-"
LENGTHS = "lengths.json"  # of the files in `PLACE`, by name

_log = logging.getLogger(__name__)


def variables(directory: Path | None) -> Mapping[str, str]:
    """Return environment variables with which a process loads code from `directory` and writes none.

    Empty if `directory` is None or JAX's own variable `NAMED` is set.
    """
    if directory is None or os.environ.get(NAMED):
        return {}
    return _variables(directory / PLACE, NEVER)


def _variables(place: Path, seconds: str) -> Mapping[str, str]:
    return {NAMED: str(place), LEAST: seconds, **NO_OTHERS}


def load_from(directory: Path | None) -> None:
    """Configure this process as `variables` says; to be called before the process compiles anything."""
    _configure(variables(directory))


def _configure(variables: Mapping[str, str]) -> None:
    read = {LEAST: float, RAISED: bool}
    for variable, value in variables.items():
        jax.config.update(variable.lower(), read.get(variable, str)(value))


def is_filled(directory: Path | None) -> bool:
    """Return whether the cache is filled, or not ours to fill. One that is not whole is removed."""
    if not variables(directory):
        return True
    place = directory / PLACE
    with suppress(OSError, ValueError):
        lengths = json.loads((place / LENGTHS).read_text())
        if lengths and lengths == _lengths(place):
            return True
    shutil.rmtree(place, ignore_errors=True)
    return False


def _lengths(place: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in sorted(place.glob("*-cache"))}


@contextmanager
def filled(directory: Path) -> Iterator[None]:
    """Write everything that is compiled inside `with` to the cache of `directory`: all of it or nothing.

    For a process that has not compiled anything yet and does nothing else: where nothing can be written, such
    as on a full disk, what is inside `with` ends there.
    """
    for path in directory.glob(f"{FILLING}*"):
        if path.stat().st_mtime < time() - ABANDONED:
            shutil.rmtree(path, ignore_errors=True)
    own = Path(tempfile.mkdtemp(prefix=FILLING, dir=directory))
    try:
        _configure({**_variables(own, ALWAYS), RAISED: "true"})
        yield
        (own / LENGTHS).write_text(json.dumps(_lengths(own)))
        for path in (*own.iterdir(), own):
            _flush(path)
    except OSError as error:
        _log.warning("No compiled code is kept on disk: %s", error)
    else:
        with suppress(OSError):  # another server of this version was first
            os.rename(own, directory / PLACE)
            _flush(directory)
    finally:
        _configure({**_variables(directory / PLACE, NEVER), RAISED: ""})
        shutil.rmtree(own, ignore_errors=True)


def _flush(path: Path) -> None:
    """Have the system write a file or a directory to the disk: a rename may otherwise come first."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)

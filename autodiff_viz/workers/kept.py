"""What outlives the server: a directory on disk that nobody else can write to, and answers in it.

What is kept is only to be found again by the same version: of this program, of what it computes with, and of
the processor, whose last digits differ from another one's. Answers are JSON, and are checked when they are
read; compiled code, which JAX keeps beside them, is run as it is: hence a directory of one's own.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

VARIABLE = "AUTODIFF_VIZ_CACHE"  # names the directory; "off": nothing is kept
PACKAGE = Path(__file__).parents[1]
VERSIONS = 3  # whose directories are kept, the last ones used
LARGEST = 4_000_000  # bytes of an answer
TUNED_BY = ("JAX_", "XLA_")  # variables of the environment that change what is computed
SAID = re.compile("[0-9a-f]{32}")

_log = logging.getLogger(__name__)


def version(libraries: tuple[str, ...]) -> str:
    """Tell this program, with these versions of its `libraries`, on this processor, from all others."""
    told = blake2b(digest_size=16)
    for path in sorted(PACKAGE.rglob("*.py")):
        told.update(repr((str(path.relative_to(PACKAGE)), path.read_bytes())).encode())
    tuned = [pair for pair in sorted(os.environ.items()) if pair[0].startswith(TUNED_BY)]
    settings = [pair for pair in tuned if "CACHE" not in pair[0]]
    told.update(repr((libraries, sys.version, platform.machine(), _processor(), settings)).encode())
    return told.hexdigest()


def _processor() -> list[str]:
    """What the system says of the first processor; nothing where it says nothing."""
    with suppress(OSError):
        first = Path("/proc/cpuinfo").read_text("utf-8", "replace").partition("\n\n")[0]
        return [line for line in first.splitlines() if line.startswith(("model name", "flags", "Features"))]
    return []


def directory(version: str) -> Path | None:
    """The directory of this version, made where it is missing. None where there is to be none or none can be,
    and where others could write to it; the log then says why."""
    if os.environ.get(VARIABLE) == "off":
        return None
    try:
        root = Path(os.environ.get(VARIABLE) or _usual()).absolute()
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if fault := _fault(root):
            _log.warning("Nothing is kept on disk: %s", fault)
            return None
        own = root / version
        own.mkdir(mode=0o700, exist_ok=True)
        os.utime(own)
        _drop_old(root)
        return own if os.access(own, os.W_OK) else None
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
        _log.info("Nothing is kept on disk: %s", error)
        return None


def _usual() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "autodiff_viz"


def _fault(root: Path) -> str:
    """Why others could put something into `root`; "" where they cannot."""
    found = root.stat()
    mend = f"Make a directory that is yours alone (chmod 700) and name it in {VARIABLE}."
    if not hasattr(os, "getuid"):
        return ""
    if found.st_uid != os.getuid():
        return f"{root} belongs to the user {found.st_uid}; it must belong to {os.getuid()}. {mend}"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write to {root}, whose mode is {stat.filemode(found.st_mode)}. {mend}"
    for above in root.resolve().parents:
        mode = above.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            return f"others may put something else in the place of {root}: they may write to {above}. {mend}"
    return ""


def _drop_old(root: Path) -> None:
    """Remove the directories of versions that others have been used after."""
    found = [path for path in root.iterdir() if SAID.fullmatch(path.name) and path.is_dir()]
    for path in sorted(found, key=lambda path: path.stat().st_mtime)[:-VERSIONS]:
        shutil.rmtree(path, ignore_errors=True)


def read(directory: Path | None, key: bytes) -> Any:
    """The answer that is kept under `key`; None where there is none, or it is not as it was kept."""
    if directory is None:
        return None
    path = _path(directory, key)
    with suppress(OSError, ValueError, RecursionError):
        if path.stat().st_size > LARGEST:
            return None
        found = json.loads(path.read_text("utf-8"))
        if isinstance(found, dict) and found.get("digest") == _digest(key, found.get("answer")):
            return found["answer"]
    return None


def keep(directory: Path | None, key: bytes, answer: Any) -> None:
    """Keep `answer`, which is JSON, under `key`; where that cannot be done it will be worked out again."""
    if directory is None:
        return
    text = json.dumps({"digest": _digest(key, answer), "answer": answer})
    with suppress(OSError), tempfile.TemporaryDirectory(dir=directory) as own:
        written = Path(own) / "answer"
        written.write_text(text, "utf-8")
        written.replace(_path(directory, key))  # whole, or not at all


def _path(directory: Path, key: bytes) -> Path:
    return directory / f"{blake2b(key, digest_size=16).hexdigest()}.json"


def _digest(key: bytes, answer: Any) -> str:
    return blake2b(key + json.dumps(answer, sort_keys=True).encode(), digest_size=16).hexdigest()

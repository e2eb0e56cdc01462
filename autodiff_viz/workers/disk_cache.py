"""Cache answers and JAX's compiled code on disk, in a private directory.

Entries are valid for one version only: of this program, of its libraries, and of the processor, since results
of two processors differ in the last digits. Answers are JSON, and are checked when they are read. Compiled
code, from JAX's persistent compilation cache, is run unchecked: hence no other user may write to the
directory.
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

VARIABLE = "AUTODIFF_VIZ_CACHE"  # names the directory; "off" disables the cache
PACKAGE = Path(__file__).parents[1]
VERSIONS = 3  # number of last used versions whose directories are kept
LARGEST = 4_000_000  # bytes of an answer
TUNED_BY = ("JAX_", "XLA_")  # prefixes of environment variables that change results
DIGEST = re.compile("[0-9a-f]{32}")  # name of the directory of a version

_log = logging.getLogger(__name__)


def version(libraries: tuple[str, ...]) -> str:
    """Return a digest of all that cached results depend on.

    That is this program, the versions of its `libraries`, Python, the processor, and JAX's and XLA's
    environment variables.
    """
    digest = blake2b(digest_size=16)
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(repr((str(path.relative_to(PACKAGE)), path.read_bytes())).encode())
    tuned = [pair for pair in sorted(os.environ.items()) if pair[0].startswith(TUNED_BY)]
    settings = [pair for pair in tuned if "CACHE" not in pair[0]]  # where results are kept changes none
    processor: list[str] = []  # the first one, where the system describes it
    with suppress(OSError):
        first = Path("/proc/cpuinfo").read_text("utf-8", "replace").partition("\n\n")[0]
        features = ("model name", "flags", "Features")
        processor = [line for line in first.splitlines() if line.startswith(features)]
    digest.update(repr((libraries, sys.version, platform.machine(), processor, settings)).encode())
    return digest.hexdigest()


def directory(version: str) -> Path | None:
    """Return the cache directory of this version, created if it is missing.

    None where caching is off, the directory cannot be made, or others could write to it; the log then says
    why. Directories of all but the last used `VERSIONS` versions are removed.
    """
    if os.environ.get(VARIABLE) == "off":
        return None
    try:
        usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "autodiff_viz"
        root = Path(os.environ.get(VARIABLE) or usual).absolute()
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if fault := _fault(root):
            _log.warning("Nothing is kept on disk: %s", fault)
            return None
        own = root / version
        own.mkdir(mode=0o700, exist_ok=True)
        os.utime(own)  # used now
        versions = [path for path in root.iterdir() if DIGEST.fullmatch(path.name) and path.is_dir()]
        for path in sorted(versions, key=lambda path: path.stat().st_mtime)[:-VERSIONS]:
            shutil.rmtree(path, ignore_errors=True)
        return own if os.access(own, os.W_OK) else None
    except (OSError, RuntimeError) as error:  # RuntimeError: no home directory
        _log.info("Nothing is kept on disk: %s", error)
        return None


def _fault(root: Path) -> str:
    """Return why other users could write to `root`; "" where they cannot."""
    status = root.stat()
    mend = f"Make a directory that is yours alone (chmod 700) and name it in {VARIABLE}."
    if not hasattr(os, "getuid"):
        return ""
    if status.st_uid != os.getuid():
        return f"{root} belongs to the user {status.st_uid}; it must belong to {os.getuid()}. {mend}"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write to {root}, whose mode is {stat.filemode(status.st_mode)}. {mend}"
    for above in root.resolve().parents:
        mode = above.stat().st_mode
        # In a sticky directory, such as /tmp, only its owner moves what is there.
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            return f"others may put something else in the place of {root}: they may write to {above}. {mend}"
    return ""


def read(directory: Path | None, key: bytes) -> Any:
    """Return the answer cached under `key`; None where there is none.

    A file whose digest does not match is removed.
    """
    if directory is None:
        return None
    path = _path(directory, key)
    with suppress(OSError):
        with suppress(ValueError, RecursionError):
            stored = json.loads(path.read_text("utf-8")) if path.stat().st_size <= LARGEST else None
            if isinstance(stored, dict) and stored.get("digest") == _digest(key, stored.get("answer")):
                return stored["answer"]
        path.unlink()
    return None


def keep(directory: Path | None, key: bytes, answer: Any) -> None:
    """Write `answer`, which is JSON data, under `key`, atomically.

    Failure is ignored, since the answer can be recomputed.
    """
    if directory is None:
        return
    text = json.dumps({"digest": _digest(key, answer), "answer": answer})
    with suppress(OSError), tempfile.TemporaryDirectory(dir=directory) as own:
        written = Path(own) / "answer"
        with written.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # else the rename may reach the disk before the text
        written.replace(_path(directory, key))  # atomic: the whole file or none


# Note on disk what a process is doing, for the case that it ends in the middle of that.


def note_begun(directory: Path | None, key: bytes) -> None:
    """Note that this process has begun something that may end it. Failure is ignored."""
    if directory is not None:
        with suppress(OSError):
            _begun(directory, key).write_text(_process(os.getpid()))


def note_done(directory: Path | None, key: bytes) -> None:
    """Note that it is done."""
    if directory is not None:
        with suppress(OSError):
            _begun(directory, key).unlink()


def was_interrupted(directory: Path | None, key: bytes) -> bool:
    """Return whether a process that is no more has begun it and not done it."""
    if directory is None:
        return False
    try:
        began = _begun(directory, key).read_text()
    except OSError:
        return False
    number = began.partition(" ")[0]
    # An empty note is one that is being written, or that found no room on the disk.
    return bool(began) and (not number.isdecimal() or began != _process(int(number)))


def _process(number: int) -> str:
    """Name a process by its number and by when it began, since numbers are used again."""
    try:
        began = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[19]
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return f"{number}"
    return f"{number} {began} {boot}"


def _begun(directory: Path, key: bytes) -> Path:
    return directory / f"begun-{blake2b(key, digest_size=16).hexdigest()}"


def _path(directory: Path, key: bytes) -> Path:
    return directory / f"{blake2b(key, digest_size=16).hexdigest()}.json"


def _digest(key: bytes, answer: Any) -> str:
    return blake2b(key + json.dumps(answer, sort_keys=True).encode(), digest_size=16).hexdigest()

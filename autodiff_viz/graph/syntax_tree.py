"""Call Python's own parser behind a lock, so that one thread at a time parses.

CPython 3.11 counts the depth of a tree in one counter for all threads. Building a tree can start a garbage
collection, whose callbacks are Python code (JAX installs one), where another thread can be scheduled. If that
thread parses too, the first parse finds the counter changed and raises "SystemError: AST constructor
recursion depth mismatch".
"""

from __future__ import annotations

import ast
from threading import RLock
from typing import Any

_ONE_AT_A_TIME = RLock()  # not Lock: a callback of the garbage collection may parse too, in this same thread


def syntax_tree(source: str, mode: str = "exec") -> Any:
    """Parse `source` as `ast.parse` does. Its exceptions are the caller's to handle."""
    with _ONE_AT_A_TIME:
        try:
            return ast.parse(source, mode=mode)
        except SystemError:  # a library, which does not take this lock, parsed meanwhile
            return ast.parse(source, mode=mode)

"""Python's own parser, called here alone and by one thread at a time.

CPython 3.11 counts how deep a tree is in one counter for all threads. The objects of a tree that is being
built may set off a garbage collection, whose callbacks are Python code (JAX installs one), and there another
thread can come in. If that one parses too, the counter is no longer the first one's, whose parse ends with
"SystemError: AST constructor recursion depth mismatch".
"""

from __future__ import annotations

import ast
from threading import RLock
from typing import Any

_ONE_AT_A_TIME = RLock()  # not Lock: what a collection runs may parse too, in this same thread


def syntax_tree(source: str, mode: str = "exec") -> Any:
    """Parse `source` as `ast.parse` does, whose exceptions are the caller's to handle."""
    with _ONE_AT_A_TIME:
        try:
            return ast.parse(source, mode=mode)
        except SystemError:  # a library's parse, which knows nothing of our lock, came in between
            return ast.parse(source, mode=mode)

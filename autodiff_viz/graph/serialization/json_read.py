"""Read parsed JSON by type: each value carries its JSON path, which a refusal names."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Literal
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text.literals import literal_fault

_DEPTH = limits.RANK + 2  # nesting of lists: the deepest literal, or an index inside a parameter
_SHOWN = 40  # characters of a value that a message quotes


def refuse(code: str, path: str, message: str, hint: str = "") -> NoReturn:
    """Raise a `GraphError` for the JSON path `path` ("$" is the document); its code begins with "json-"."""
    where = "" if path == "$" else f"At {path}: "
    raise GraphError(Problem(f"json-{code}", where + message, hint))


@dataclass(frozen=True, slots=True)
class Reader:
    """A parsed JSON value with its path. Each method returns the value as one type, or refuses it."""

    value: Any
    path: str

    def object(self, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Reader]:
        """Return the members of an object with all `required` keys, and no others but `optional` ones."""
        members, required = self.members(), tuple(required)
        if missing := [key for key in required if key not in members]:
            refuse("missing-key", self.path, f"The key {missing[0]!r} is missing.")
        known = (*required, *optional)
        if unknown := [key for key in members if key not in known]:
            message = f"The key {unknown[0][:40]!a} is unknown."
            refuse("unknown-key", self.path, message, f"Known keys are {', '.join(known)}.")
        return members

    def members(self) -> dict[str, Reader]:
        """Return the members of an object with any keys of bounded length."""
        if not isinstance(self.value, dict):
            self.wrong("an object")
        for key in self.value:
            if len(key) > limits.NAME:
                refuse("limit", self.path, f"A key is longer than {limits.NAME} characters.")
        return {key: Reader(value, f"{self.path}.{key}") for key, value in self.value.items()}

    def items(self, most: int, least: int = 0) -> list[Reader]:
        """Return a list of `least` to `most` values."""
        if not isinstance(self.value, list):
            self.wrong("a list")
        if not least <= len(self.value) <= most:
            bounds = f"{least}" if least == most else f"at most {most}"
            refuse("limit", self.path, f"The list has {len(self.value)} values; it may have {bounds}.")
        return [Reader(value, f"{self.path}[{i}]") for i, value in enumerate(self.value)]

    def string(self) -> str:
        """Return a string."""
        if not isinstance(self.value, str):
            self.wrong("a string")
        return self.value

    def choice(self, known: tuple[str, ...]) -> str:
        """Return a string that is one of `known`."""
        if self.string() not in known:
            self.wrong(f"one of {', '.join(known)}")
        return self.value

    def integer(self) -> int:
        """Return an int; a bool is refused."""
        if type(self.value) is not int:
            self.wrong("a whole number")
        return self.value

    def boolean(self) -> bool:
        """Return a bool."""
        if type(self.value) is not bool:
            self.wrong("true or false")
        return self.value

    def number(self) -> float:
        """Return a finite number, bounded by `limits.NUMBER`."""
        if type(self.value) not in (int, float):
            self.wrong("a number")
        if not abs(self.value) <= limits.NUMBER:
            refuse("number", self.path, f"The number is beyond {limits.NUMBER:g}.")
        return self.value

    def literal(self) -> Literal:
        """Return a number, or a tensor from lists of lists, within the limits on literals."""
        if type(self.value) not in (int, float, list):
            self.wrong("a number or lists of numbers")
        value = self._tupled(self.value, _DEPTH)
        if fault := literal_fault(value):
            refuse("number", self.path, f"The literal {fault}.")
        return value

    def datum(self) -> Any:
        """Return a parameter's value: null, a bool, a number, a short string, or lists of these as tuples."""
        value = self._tupled(self.value, _DEPTH)
        todo = [value]
        while todo:
            item = todo.pop()
            if isinstance(item, tuple):
                todo.extend(item)
            elif isinstance(item, dict):
                Reader(item, self.path).wrong("a value or a list")
            elif isinstance(item, str):
                if len(item) > limits.NAME or not item.isprintable() or not item.isascii():
                    refuse(
                        "limit", self.path, f"A string is not plain text of at most {limits.NAME} characters."
                    )
            elif item is not None and type(item) is not bool:
                Reader(item, self.path).number()
        return value

    def _tupled(self, value: Any, depth: int) -> Any:
        if not isinstance(value, list):
            return value
        if depth == 0:
            refuse("limit", self.path, f"More than {_DEPTH} lists inside each other.")
        if len(value) > limits.ELEMENTS:
            refuse("limit", self.path, f"The list has {len(value)} values; the limit is {limits.ELEMENTS}.")
        return tuple(self._tupled(item, depth - 1) for item in value)

    def wrong(self, needed: str) -> NoReturn:
        """Refuse the value, because `needed` was expected."""
        refuse("type", self.path, f"Found {self._shown()} where {needed} is needed.")

    def _shown(self) -> str:
        if self.value is None or isinstance(self.value, dict):
            return "null" if self.value is None else "an object"
        if not isinstance(self.value, (list, tuple)):
            text = ascii(self.value)
            return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        text = json.dumps(self.value)
        return text if len(text) <= _SHOWN else "a list"

"""The identity of data: short bytes that are the same only where the data is, in type and in every bit.

Everything that is remembered, for one visitor or for all, is keyed by it. Python's own `==` and `hash` are
no keys: 0.0 == -0.0, 1 == 1.0 == True, and hash(-1.0) == hash(-2.0), yet a / 0.0 is not a / -0.0.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache, wraps
from hashlib import blake2b
from threading import local
from typing import Any, Protocol, TypeVar

R = TypeVar("R", covariant=True)

LONGEST = 128  # bytes of an identity; what would be longer is told by its digest
FEW = 8  # floats whose text is made as fast as their bytes are
_ATOMS = {int, float, bool, str, bytes, type(None)}  # `repr` tells these apart: 1, 1.0, True, "1", -0.0
_FLOATS, _TUPLES = {float}, {tuple}
_PLAIN = {str, bytes, int, bool}  # of which `==` compares every bit, between two of one type


def identity(value: Any) -> bytes:
    """Tell `value` apart from all that is not the same in type and in every bit.

    Args:
      value: numbers, strings, None, NumPy arrays, records with an `identity`, frozen dataclasses, and tuples,
        lists, mappings and sets of these. The order of a mapping counts, that of a set does not.
    Raises:
      TypeError: it holds anything else, of which nobody knows when it is the same.
    """
    kind = type(value)
    if kind in _ATOMS:
        return _short(repr(value).encode())
    if kind is tuple:
        if len(value) > FEW and set(map(type, value)) == _FLOATS:
            return _short(b"floats" + array("d", value).tobytes())
        if _is_told_by_repr(value):
            return _short(repr(value).encode())
    return _short(b"parts" + repr(_parts(value)).encode())


def _is_told_by_repr(value: tuple) -> bool:
    """Whether it is made of atoms and of short tuples that are."""
    kinds = set(map(type, value)) - _ATOMS
    inner = [item for item in value if type(item) is tuple] if kinds else ()
    return not kinds - _TUPLES and all(len(item) <= FEW and _is_told_by_repr(item) for item in inner)


def _short(told: bytes) -> bytes:
    return told if len(told) <= LONGEST else blake2b(told, digest_size=24).digest()


def _parts(value: Any) -> tuple[Any, ...]:
    """The kind of a value and the identities of its parts."""
    kind = type(value)
    if isinstance(found := getattr(value, "identity", None), bytes):
        return kind.__name__, (found,)
    if kind in (tuple, list):
        return kind.__name__, tuple(map(identity, value))
    if kind is range:
        return "range", (value.start, value.stop, value.step)
    if isinstance(value, Mapping):
        return "mapping", tuple(identity(key) + b":" + identity(item) for key, item in value.items())
    if kind in (set, frozenset):
        return "set", tuple(sorted(map(identity, value)))
    if hasattr(value, "tobytes"):  # NumPy's arrays and numbers, and JAX's; this folder knows neither
        return "array", (str(value.dtype), tuple(value.shape), _short(value.tobytes()))
    if is_dataclass(value):
        return kind.__name__, tuple(identity(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, tuple):
        return kind.__name__, tuple(map(identity, value))
    raise TypeError(f"{kind.__name__} has no identity: {value!r:.80}")


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same in type and in every bit; what has no identity only when it is one
    object. Quick where they share most of their parts, as two states of one page do."""
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind in _PLAIN or isinstance(one, Exact):
        return one == other
    if kind is float:
        return one == other and repr(one) == repr(other)
    if hasattr(one, "tobytes"):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(a is b or same(a, b) for a, b in zip(one, other, strict=True))
    if kind is dict:
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    try:
        return identity(one) == identity(other)
    except TypeError:
        return False


class Exact:
    """A record that is equal only to one of the same identity."""

    __slots__ = ()

    @property
    def identity(self) -> bytes:
        return identity((type(self).__name__, *_field_identities(self)))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return self.identity == other.identity if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.identity)


def _field_identities(record: Any) -> tuple[bytes, ...]:
    return tuple(identity(getattr(record, field.name)) for field in fields(record))


class Remembered(Protocol[R]):
    """A function that remembers its last results; see `remembered`."""

    most: int
    kept: Callable[[], int]
    misses: Callable[[], int]
    forget: Callable[[], None]

    def __call__(self, *arguments: Any) -> R: ...


def _identities(*arguments: Any) -> Hashable:
    return tuple(map(identity, arguments))


EVERYTHING: list[Remembered] = []
"""All functions that remember, so that a test can make them forget, as a new process has."""


def remembered(
    most: int, key: Callable[..., Hashable] = _identities
) -> Callable[[Callable[..., R]], Remembered[R]]:
    """Memoise a pure function by the identities of its arguments, the least recently used result first out.

    Args:
      most: results that are kept.
      key: for a function that is called so often that this takes too long: what the results follow from, of
        which it must itself tell apart what `==` does not.
    """

    def decorate(compute: Callable[..., R]) -> Remembered[R]:
        this_call = local()  # `lru_cache` hands on the key alone

        @lru_cache(maxsize=most)
        def kept(key: Hashable) -> R:
            return compute(*this_call.arguments)

        @wraps(compute)
        def call(*arguments: Any) -> R:
            this_call.arguments = arguments
            return kept(key(*arguments))

        call.most, call.forget = most, kept.cache_clear
        call.kept, call.misses = lambda: kept.cache_info().currsize, lambda: kept.cache_info().misses
        EVERYTHING.append(call)
        return call

    return decorate

"""Identify data by structure: short bytes, equal only for data equal in type and in every bit.

All memoisation, for one visitor or for all, is keyed by it. Python's own `==` and `hash` are no such keys:
0.0 == -0.0, 1 == 1.0 == True, and hash(-1.0) == hash(-2.0), yet a / 0.0 is not a / -0.0.
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

LONGEST = 128  # bytes of an identity; a longer one is replaced by its digest
FEW = 8  # floats for which `repr` is as fast as the bytes of an array
_ATOMS = {int, float, bool, str, bytes, type(None)}  # `repr` distinguishes these: 1, 1.0, True, "1", -0.0
_FLOATS, _TUPLES = {float}, {tuple}
_PLAIN = {str, bytes, int, bool}  # between two of one of these types, `==` compares every bit


def identity(value: Any) -> bytes:
    """Return bytes that distinguish `value` from all data that differs in type or in any bit.

    Args:
      value: numbers, strings, None, NumPy arrays, records with an `identity`, frozen dataclasses, and tuples,
        lists, mappings and sets of these. The order of a mapping counts, that of a set does not.
    Returns:
      At most `LONGEST` bytes, or a digest of 24 bytes where they would be more.
    Raises:
      TypeError: it holds anything else, for which equality is undefined here.
    """
    kind = type(value)
    if kind in _ATOMS:
        return _short(repr(value).encode())
    if kind is tuple:
        if len(value) > FEW and set(map(type, value)) == _FLOATS:
            return _short(b"floats" + array("d", value).tobytes())
        if _is_exact_in_repr(value):
            return _short(repr(value).encode())
    return _short(b"parts" + repr(_parts(value)).encode())


def _is_exact_in_repr(value: tuple) -> bool:
    """Return whether the tuple has only atoms and short tuples of these, so that `repr` is unambiguous."""
    kinds = set(map(type, value)) - _ATOMS
    inner = [item for item in value if type(item) is tuple] if kinds else ()
    return not kinds - _TUPLES and all(len(item) <= FEW and _is_exact_in_repr(item) for item in inner)


def _short(encoded: bytes) -> bytes:
    return encoded if len(encoded) <= LONGEST else blake2b(encoded, digest_size=24).digest()


def _parts(value: Any) -> tuple[Any, ...]:
    """Return the type's name and the identities of the parts of a value."""
    kind = type(value)
    if isinstance(own := getattr(value, "identity", None), bytes):
        return kind.__name__, (own,)
    if kind in (tuple, list):
        return kind.__name__, tuple(map(identity, value))
    if kind is range:
        return "range", (value.start, value.stop, value.step)
    if isinstance(value, Mapping):
        return "mapping", tuple(identity(key) + b":" + identity(item) for key, item in value.items())
    if kind in (set, frozenset):
        return "set", tuple(sorted(map(identity, value)))
    if hasattr(value, "tobytes"):  # NumPy's arrays and numbers, and JAX's; this folder imports neither
        return "array", (str(value.dtype), tuple(value.shape), _short(value.tobytes()))
    if is_dataclass(value):
        return kind.__name__, tuple(identity(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, tuple):
        return kind.__name__, tuple(map(identity, value))
    raise TypeError(f"{kind.__name__} has no identity: {value!r:.80}")


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal in type and in every bit.

    Values without an identity are the same only if they are one object. Quick where the values share most of
    their parts, as two states of one page do.
    """
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
    if kind is dict:  # the order of its keys counts
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    try:
        return identity(one) == identity(other)
    except TypeError:
        return False


class Exact:
    """Base class of records that are equal only if their identities are."""

    __slots__ = ()

    @property
    def identity(self) -> bytes:
        """Identity of the type and all fields."""
        own = [identity(getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
        return identity((type(self).__name__, *own))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return self.identity == other.identity if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.identity)


class Remembered(Protocol[R]):
    """A memoised function; see `remembered`.

    Attributes:
      most: greatest number of results that are kept.
      kept: returns the number of results kept now.
      misses: returns the number of results computed so far.
      forget: drops all results.
    """

    most: int
    kept: Callable[[], int]
    misses: Callable[[], int]
    forget: Callable[[], None]

    def __call__(self, *arguments: Any) -> R: ...


def _identities(*arguments: Any) -> Hashable:
    return tuple(map(identity, arguments))


EVERYTHING: list[Remembered] = []
"""All memoised functions, so that a test can clear them, as a new process would."""


def remembered(
    most: int, key: Callable[..., Hashable] = _identities
) -> Callable[[Callable[..., R]], Remembered[R]]:
    """Memoise a pure function by the identities of its arguments, in an LRU cache.

    Args:
      most: greatest number of results that are kept.
      key: returns a cheaper key, for a function that is called often. The key must cover all that a result
        depends on and distinguish what `==` does not.
    Returns:
      A decorator.
    """

    def decorate(compute: Callable[..., R]) -> Remembered[R]:
        this_call = local()  # `lru_cache` passes on the key alone

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

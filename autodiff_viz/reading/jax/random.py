"""Read draws of random numbers that a text fixes: by keys of JAX, and by seeds of NumPy.

The generators are those of the libraries themselves, given a seed and a shape that stand in the text, so the
numbers are theirs to the bit. They become inputs of the graph. A draw without a seed has numbers too, as an
example, and is noted: an answer that depends on it cannot be given.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import jax
import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.limits import SEED
from autodiff_viz.reading.functions.arrays import (
    FUNCTIONS,
    constant,
    known,
    named_dtype,
    r_array,
    shape_of,
    single,
)
from autodiff_viz.reading.functions.draws import Draws
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, FLOATS, INT, Array, Native, Refused
from autodiff_viz.reading.nodes.costs import CALLED, DRAWN, pay, pay_work, sized
from autodiff_viz.workers.bounds import computing_apart


@dataclass(frozen=True, eq=False)
class Key:
    """A key of `jax.random`, or an array of keys.

    Attributes:
      data: their raw numbers, [rows of vmap, shape, 2].
      rows: the `vmap`s along which it has rows, as of `Array`.
    """

    data: np.ndarray
    rows: tuple[int, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that the text sees, of keys."""
        return self.data.shape[len(self.rows) : -1]

    def entered(self, level: int, axis: int) -> Key:
        """Return the keys as rows of a `vmap`."""
        at = len(self.rows)
        return Key(np.moveaxis(self.data, at + axis % len(self.shape), at), (*self.rows, level))

    def left(self, level: int) -> Key:
        """Return keys that are rows of a `vmap` as an array of them."""
        if level not in self.rows:
            raise Refused("A key that is the same in all rows is not returned from vmap.")
        return Key(self.data, tuple(one for one in self.rows if one != level))


@dataclass(eq=False)
class Programs:
    """What JAX compiled for a text: a draw of a shape of its own takes a while."""

    known: set[Any] = field(default_factory=set)

    def need(self, *program: Any) -> None:
        """Pay for a program, unless the text has had it."""
        if program not in self.known:
            self.known.add(program)
            pay_work(DRAWN)


ROOMS = (1024, limits.ELEMENTS)
"""How many numbers JAX draws at once, of which a text takes the first."""


def _first(reader: Reader, key: Any, draw: Callable[[Any, Any], Any], sizes: tuple[int, ...]) -> np.ndarray:
    """Return the draws of a shape, for each row of a key.

    Each of JAX's draws depends on its own place alone (`jax_threefry_partitionable`), so the first of many
    are those of few. Two programs draw for all shapes, for each of which JAX would compile one.
    """
    count = prod(sized(sizes))
    room = next(room for room in ROOMS if count <= room)
    drawn = _each(reader, key, lambda one: np.asarray(draw(one, room))[:count], count)
    return drawn.reshape((*drawn.shape[:-1], *sizes))


def _each(reader: Reader, key: Any, function: Callable[[Any], Any], count: int = 2) -> np.ndarray:
    """Return a function of a key that makes `count` numbers, for each of its rows, as JAX computes it."""
    if not isinstance(key, Key):
        raise Refused(
            "A draw needs a key whose seed is written out.", "Begin with key = jax.random.PRNGKey(0)."
        )
    if key.shape != ():
        raise Refused("A draw takes one key, and this is an array of keys.", "Take one of them: keys[0].")
    with computing_apart(), jax.enable_x64(reader.wide):
        flat = key.data.reshape(-1, 2)
        if len(flat) > 256:
            raise Refused("Draws by more than 256 keys are not read.", "", "too-large")
        sized((len(flat), count))
        pay(CALLED * len(flat))
        made = [np.asarray(function(jax.numpy.asarray(one, np.uint32))) for one in flat]
    return np.stack(made).reshape((*key.data.shape[: len(key.rows)], *made[0].shape))


@known("jax.random.PRNGKey", "jax.random.key")
def new_key(reader: Reader, seed: Any, **options: Any) -> Key:
    """Read a key by its seed."""
    if isinstance(seed, Array) and seed.dtype == INT:
        seed = int(reader.numbers(replace(seed, traced=0)))
    if type(seed) is not int or not -SEED <= seed <= SEED or options:
        raise Refused("A key has a whole number as its seed.", "Write jax.random.PRNGKey(0).")
    pay(CALLED)
    with computing_apart(), jax.enable_x64(reader.wide):
        return Key(np.asarray(jax.random.PRNGKey(seed)))


@known("jax.random.split")
def split(reader: Reader, key: Any, num: Any = 2) -> Key:
    """Read keys that are made of one."""
    count = num if isinstance(num, tuple) else (num,)
    if not all(type(one) is int and one > 0 for one in count) or prod(count) > 1024:
        raise Refused("A key is split into at most 1024, a number that is written out.")
    total = prod(count)  # as of `_first`: the first keys of many are those of few
    keys = _each(reader, key, lambda one: np.asarray(jax.random.split(one, 1024))[:total], 2 * total)
    return Key(keys.reshape((*keys.shape[:-2], *count, 2)), key.rows)


@known("jax.random.fold_in")
def fold_in(reader: Reader, key: Any, data: Any) -> Key:
    """Read a key that is made of one and a number."""
    if isinstance(data, Array):
        data = int(reader.numbers(replace(data, traced=0)))  # compiled code may ask for it too
    if type(data) is not int:
        raise Refused("fold_in() takes a whole number.")
    return Key(_each(reader, key, lambda one: jax.random.fold_in(one, data)), key.rows)


def key_item(reader: Reader, key: Key, index: Any, node: ast.AST) -> Key:
    """Return keys of an array of them."""
    parts = index if isinstance(index, tuple) else (index,)
    if not all(type(part) is int or isinstance(part, slice) for part in parts):
        raise Refused("Keys are picked by whole numbers.", at=node)
    try:
        return Key(key.data[(*[slice(None)] * len(key.rows), *parts)], key.rows)
    except (IndexError, TypeError) as error:
        raise Refused(f"{error}.".capitalize(), at=node) from None


def key_items(reader: Reader, key: Key, node: ast.AST) -> list[Key]:
    """Return the keys of an array of them."""
    if not key.shape:
        raise Refused("One key cannot be iterated over.", "Split it: jax.random.split(key).", at=node)
    return [key_item(reader, key, i, node) for i in range(key.shape[0])]


def key_attribute(reader: Reader, key: Key, name: str, node: ast.AST) -> Any:
    """Return an attribute of keys."""
    if name == "shape":
        return key.shape
    raise Refused(f"A key has no {name!r} that is read.", at=node)


def _draw(reader: Reader, key: Any, draw: Callable[..., Any], sizes: tuple[int, ...], dtype: str) -> Array:
    """Return an array of draws, of which each depends on its place alone.

    Args:
      draw: returns draws of a shape, of a key and the shape.
    """
    return _drawn(reader, key, _first(reader, key, lambda one, room: draw(one, (room,)), sizes), dtype)


def _draw_whole(
    reader: Reader, key: Any, draw: Callable[..., Any], sizes: tuple[int, ...], dtype: str, *program: Any
) -> Array:
    """Return an array of draws that depend on each other; JAX compiles a program for each shape."""
    count = prod(sized(sizes))
    reader.state(Programs).need(*program, sizes)
    return _drawn(reader, key, _each(reader, key, draw, count), dtype)


def _drawn(reader: Reader, key: Any, numbers: np.ndarray, dtype: str) -> Array:
    if not np.isfinite(numbers.astype(float)).all():
        raise Refused("This draw gives a number that is not finite.")
    made = constant(reader, numbers.astype(float), "jax", dtype)
    if isinstance(key, Key):
        made.rows = key.rows
    return made


def _shape(shape: Any) -> tuple[int, ...]:
    sizes = (shape,) if type(shape) is int else tuple(shape)
    if not all(type(size) is int and size > 0 for size in sizes):
        raise Refused("A shape is written out in whole numbers, such as (2, 3).")
    return sized(sizes)


def _initializer(name: str) -> Callable[..., Native]:
    """Return the reading of one of JAX's initializers: a function that draws by a key."""

    def make(reader: Reader, *options: Any, **named: Any) -> Native:
        plain = (int, float, str, tuple, type(None))
        if not all(isinstance(one, plain) for one in (*options, *named.values())):
            raise Refused(f"{name}() takes numbers that are written out.")

        def call(_: Reader, args: list, keywords: dict) -> Array:
            given = dict(zip(("key", "shape", "dtype"), args, strict=False)) | keywords
            kind = named_dtype(reader, given.get("dtype")) or reader.usual_float()
            shape = _shape(given["shape"])
            kin, _, way = name.partition("_")
            if kin in FANS and not options and not named and len(shape) > 1:
                numbers = _scaled(reader, given["key"], *FANS[kin], way, shape, np.dtype(kind))
                return _drawn(reader, given["key"], numbers, kind)
            initializer = getattr(jax.nn.initializers, name)(*options, **named)
            return _draw_whole(
                reader,
                given["key"],
                lambda key: initializer(key, shape, np.dtype(kind)),
                shape,
                kind,
                *(name, repr(options), repr(named), kind),
            )

        return Native(call, name)

    return make


FANS = {"glorot": (1.0, "average"), "he": (2.0, "in"), "lecun": (1.0, "in")}
"""Scale and kind of fan of initializers, by the name that they begin with."""


def _scaled(
    reader: Reader, key: Any, scale: float, fan: str, way: str, shape: tuple[int, ...], dtype: np.dtype
) -> np.ndarray:
    """Return what an initializer of this variance draws: as JAX has it, a draw times a number.

    Source: https://docs.jax.dev/en/latest/_autosummary/jax.nn.initializers.variance_scaling.html
    """
    field = prod(shape[:-2])
    into, out = field * shape[-2], field * shape[-1]
    variance = np.asarray(scale / (into if fan == "in" else (into + out) / 2), dtype)
    if way == "uniform":
        drawn = _first(reader, key, lambda one, room: jax.random.uniform(one, (room,), dtype, -1), shape)
        return (drawn * np.sqrt(np.asarray(3, dtype) * variance)).astype(dtype)
    drawn = _first(
        reader, key, lambda one, room: jax.random.truncated_normal(one, -2, 2, (room,), dtype), shape
    )
    within = np.asarray(0.87962566103423978, dtype)  # the deviation of normal numbers between -2 and 2
    return (drawn * (np.sqrt(variance) / within)).astype(dtype)


for _name in (
    *("constant", "normal", "truncated_normal", "uniform", "orthogonal", "variance_scaling"),
    *(f"{kind}_{way}" for kind in ("glorot", "he", "lecun") for way in ("normal", "uniform")),
):
    FUNCTIONS[f"jax.nn.initializers.{_name}"] = FUNCTIONS[f"nn.initializers.{_name}"] = _initializer(_name)


def _filled(value: float) -> Callable[..., Array]:
    """Return the reading of the initializers that draw nothing and are called at once."""

    def fill(reader: Reader, key: Any, shape: Any, dtype: Any = None) -> Array:
        return constant(
            reader,
            np.full(sized(_shape(shape)), value),
            "jax",
            named_dtype(reader, dtype) or reader.usual_float(),
        )

    return fill


FUNCTIONS["nn.initializers.zeros"], FUNCTIONS["nn.initializers.ones"] = _filled(0.0), _filled(1.0)


def _float(reader: Reader, dtype: Any) -> str:
    kind = single(reader, named_dtype(reader, dtype), "jax") or reader.usual_float()
    if kind not in FLOATS:
        raise Refused("Only floats are drawn here.")
    return kind


def _plain(name: str) -> Callable[..., Array]:
    def read(reader: Reader, key: Any, shape: Any = (), dtype: Any = None) -> Array:
        kind, sizes = _float(reader, dtype), _shape(shape)
        draw = getattr(jax.random, name)
        return _draw(reader, key, lambda one, room: draw(one, room, jax.numpy.dtype(kind)), sizes, kind)

    return read


for _name in ("normal", "exponential", "gumbel", "laplace", "logistic", "cauchy"):
    FUNCTIONS[f"jax.random.{_name}"] = _plain(_name)


@known("jax.random.uniform")
def uniform(
    reader: Reader, key: Any, shape: Any = (), dtype: Any = None, minval: Any = 0.0, maxval: Any = 1.0
) -> Array:
    """Read uniform draws between two numbers."""
    kind, sizes = _float(reader, dtype), _shape(shape)
    if not isinstance(minval, (int, float)) or not isinstance(maxval, (int, float)):
        raise Refused("uniform() is read between numbers that are written out.")
    kind_of = jax.numpy.dtype(kind)
    return _draw(
        reader, key, lambda one, room: jax.random.uniform(one, room, kind_of, minval, maxval), sizes, kind
    )


@known("jax.random.truncated_normal")
def truncated_normal(
    reader: Reader, key: Any, lower: float, upper: float, shape: Any = (), dtype: Any = None
) -> Array:
    """Read normal draws between two numbers."""
    kind, sizes = _float(reader, dtype), _shape(shape)
    if not isinstance(lower, (int, float)) or not isinstance(upper, (int, float)):
        raise Refused("truncated_normal() is read between numbers that are written out.")
    return _draw(
        reader,
        key,
        lambda one, room: jax.random.truncated_normal(one, lower, upper, room, jax.numpy.dtype(kind)),
        sizes,
        kind,
    )


@known("jax.random.bernoulli")
def bernoulli(reader: Reader, key: Any, p: Any = 0.5, shape: Any = None) -> Array:
    """Read truth values that hold with a probability: a uniform draw below it."""
    if isinstance(p, (int, float)):
        sizes = _shape(() if shape is None else shape)
        return _draw(reader, key, lambda one, room: jax.random.bernoulli(one, p, room), sizes, BOOL)
    sizes = shape_of(reader, p) if shape is None else _shape(shape)
    return reader.make("less", [uniform(reader, key, sizes), p], dtype=BOOL)


@known("jax.random.randint")
def randint(reader: Reader, key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = None) -> Array:
    """Read whole numbers."""
    sizes = _shape(shape)
    if (
        type(minval) is not int
        or type(maxval) is not int
        or (dtype is not None and named_dtype(reader, dtype) != INT)
    ):
        raise Refused("randint() is read between whole numbers that are written out.")
    return _draw(reader, key, lambda one, room: jax.random.randint(one, room, minval, maxval), sizes, INT)


@known("jax.random.permutation")
def permutation(reader: Reader, key: Any, x: Any, axis: int = 0) -> Array:
    """Read an order that is drawn."""
    count = x if type(x) is int else shape_of(reader, x)[axis]
    if count < 1:
        raise Refused("permutation() is read of a number or an array.")
    sized((count,))
    if type(x) is int:
        return _draw_whole(
            reader, key, lambda one: jax.random.permutation(one, count), (count,), INT, "permutation"
        )
    if axis:
        raise Refused("permutation() is read along the first axis.")
    # The order is drawn alike for whatever stands along the axis.
    order = _draw_whole(
        reader,
        key,
        lambda one: jax.random.permutation(one, jax.numpy.arange(count)),
        (count,),
        INT,
        "order",
    )
    return FUNCTIONS["numpy.take"](reader, x, order, 0)


@known("jax.random.choice")
def choice(reader: Reader, key: Any, a: Any, shape: Any = (), replace: bool = True) -> Array:
    """Read elements that are drawn, each as likely."""
    sizes = _shape(shape)
    count = a if type(a) is int else shape_of(reader, a)[0]
    sized((count,))
    places = _draw_whole(
        reader,
        key,
        lambda one: jax.random.choice(one, count, sizes, bool(replace)),
        sizes,
        INT,
        *("choice", count, bool(replace)),
    )
    return places if type(a) is int else FUNCTIONS["numpy.take"](reader, a, places, 0)


@known("jax.random.categorical")
def categorical(reader: Reader, key: Any, logits: Any, axis: int = -1, shape: Any = None) -> Array:
    """Read a class drawn by its logits: the largest of logits and Gumbel noise."""
    logits = r_array(reader, logits)
    if shape is not None:
        raise Refused("categorical() is read without a shape.")
    noise = FUNCTIONS["jax.random.gumbel"](reader, key, shape_of(reader, logits))
    return reader.make("argmax", [reader.make("add", [noise, logits])], dtype=INT, axis=axis)


# NumPy's generators.


@dataclass
class Seeds:
    """NumPy's own generator while a text is read; whether the text has given it a seed."""

    generator: Any = field(default_factory=lambda: np.random.RandomState(0))
    seeded: bool = False


@dataclass(eq=False)
class Generator:
    """What `default_rng` or `RandomState` makes."""

    of: Any
    seeded: bool


def _noted(reader: Reader, made: Array, seeded: bool, name: str) -> Array:
    """Return an array that was drawn; without a seed its numbers are an example."""
    if not seeded and made.is_constant:
        made.held = reader.builder.input(made.held, "")
        reader.state(Draws).unseeded.add(made.held.number)
        reader.say(reader.line, f"{name}() draws other numbers each time; these are an example")
    return made


def _numpy_draw(name: str) -> Callable[..., Array]:
    def read(reader: Reader, generator: Generator, *args: Any, **keywords: Any) -> Array:
        given = [*args, *keywords.values()]
        if not all(_written(one) for one in given):
            raise Refused(f"{name}() is read with numbers that are written out.")
        _room_for(name, args, keywords)
        try:
            numbers = getattr(generator.of, name)(*args, **keywords)
        except (TypeError, ValueError, AttributeError) as error:
            raise Refused(f"{str(error).rstrip('.')}.".capitalize()) from None
        numbers = np.asarray(numbers)
        if not numbers.size:
            raise Refused("A draw of nothing is not read.")
        dtype = INT if numbers.dtype.kind in "iu" else BOOL if numbers.dtype.kind == "b" else "float64"
        return _noted(reader, constant(reader, numbers.astype(float), "numpy", dtype), generator.seeded, name)

    return read


PLACES = {
    **dict.fromkeys(("random", "random_sample", "standard_normal"), 0),
    **dict.fromkeys(("exponential", "choice", "poisson"), 1),
    **dict.fromkeys(("normal", "uniform", "randint", "integers", "binomial"), 2),
    **dict.fromkeys(("beta", "gamma", "laplace"), 2),
}
"""Where the size stands among the arguments of a method of a generator."""


def _room_for(name: str, args: tuple, keywords: dict[str, Any]) -> None:
    """Refuse a draw of too many numbers, of its size or of its parameters, before NumPy makes any.

    A number of what is to be permuted or chosen from is a list of as many.
    """
    sizes: list[tuple[int, ...]] = []
    if name in ("rand", "randn"):
        sizes.append(args)
    else:
        size = keywords.get("size", args[PLACES[name]] if len(args) > PLACES.get(name, len(args)) else None)
        sizes.append(tuple(size) if isinstance(size, (tuple, list)) else () if size is None else (size,))
        parameters = [one for key, one in keywords.items() if key != "size"]
        parameters += [one for i, one in enumerate(args) if i != PLACES.get(name)]
        sizes.append(np.broadcast_shapes(*(np.shape(one) for one in parameters)))
    if name in ("permutation", "choice"):
        of = args[0] if args else keywords.get("x", keywords.get("a"))
        sizes += [(of,)] if type(of) is int else []
    for one in sizes:
        sized(one)


def _written(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(_written(one) for one in value)
    return value is None or isinstance(value, (int, float))


OLD = {*PLACES, "rand", "randn", "permutation"} - {"integers"}
NEW = {*PLACES, "permutation"} - {"randint", "random_sample"}
"""Methods of `RandomState` and of `default_rng`."""


def generator_attribute(reader: Reader, generator: Generator, name: str, node: ast.AST) -> Native:
    """Return a method of a generator."""
    if name not in (NEW if isinstance(generator.of, np.random.Generator) else OLD):
        raise Refused(f"A generator has no {name!r} that is read.", at=node)
    return Native(lambda _, args, keywords: _numpy_draw(name)(reader, generator, *args, **keywords), name)


@known("numpy.random.seed")
def seed(reader: Reader, seed: Any = None) -> None:
    """Read a seed of NumPy's own generator."""
    if type(seed) is not int or not 0 <= seed <= SEED:
        raise Refused("A seed is a whole number.")
    pay(CALLED)
    state = reader.state(Seeds)
    state.generator, state.seeded = np.random.RandomState(seed), True


def _own(name: str) -> Callable[..., Array]:
    def read(reader: Reader, *args: Any, **keywords: Any) -> Array:
        state = reader.state(Seeds)
        return _numpy_draw(name)(reader, Generator(state.generator, state.seeded), *args, **keywords)

    return read


for _name in OLD:
    FUNCTIONS[f"numpy.random.{_name}"] = _own(_name)


def _made(kind: Callable[[int], Any]) -> Callable[..., Generator]:
    def read(reader: Reader, seed: Any = None) -> Generator:
        if seed is not None and (type(seed) is not int or not 0 <= seed <= SEED):
            raise Refused("A seed is a whole number.")
        pay(CALLED)
        return Generator(kind(seed or 0), seed is not None)

    return read


FUNCTIONS["numpy.random.default_rng"] = _made(np.random.default_rng)
FUNCTIONS["numpy.random.RandomState"] = _made(np.random.RandomState)


def install(reader: Reader) -> None:
    """Teach a reader what keys and generators do."""
    reader.handlers.item[Key] = key_item
    reader.handlers.items[Key] = key_items
    reader.handlers.attribute[Key] = key_attribute
    reader.handlers.attribute[Generator] = generator_attribute

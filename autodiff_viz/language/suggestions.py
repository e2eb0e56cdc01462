"""Suggest a correction for unknown names and syntax: near names, and what words of other libraries mean."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

from autodiff_viz.graph.model import INPUT, OWN_OP, PARAMETER
from autodiff_viz.graph.rule_kinds import KINDS
from autodiff_viz.graph.text import listed
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.own import ELSEWHERE

BYPASS, CUT = "bypass", "cut"
WRAPPERS = (*(kind.call for kind in KINDS.values() if kind.call), BYPASS, CUT)
FUNCTIONS = (*OPS, *WRAPPERS, INPUT, PARAMETER)

_NEAR = 300  # names compared letter by letter; difflib takes about 10 µs for each

SOURCE_ALIASES = {
    INPUT: ("variable", "constant", "slider", "number"),
    PARAMETER: ("weight", "weights", "bias", "trainable", "learned", "variable", "param"),
}
"""Aliases of an input and a parameter; those of an op are in its record."""

_MARKS = {BYPASS: ("mute", "skip", "passthrough"), CUT: ("split",)}


def _close(name: str) -> str:
    """Normalize a name across spelling conventions: MaxPool2d and max_pool2d are the same."""
    return name.lower().replace("_", "").replace(" ", "").lstrip(".")


def _ours() -> dict[str, list[str]]:
    """Map each alias to the functions of the language that it may mean."""
    aliases = {kind.call: kind.aliases for kind in KINDS.values() if kind.call} | _MARKS | SOURCE_ALIASES
    functions: dict[str, list[str]] = {}
    for name, others in ({op.name: op.aliases for op in OPS.values()} | aliases).items():
        for other in dict.fromkeys(map(_close, others)):
            functions.setdefault(other, []).append(name)
    return functions | {_close(name): [name] for name in FUNCTIONS}  # its own name comes first


_OURS = _ours()

MODULES = frozenset({"np", "numpy", "jnp", "jax", "nn", "lax", "random", "math", "torch", "tf", "F", "scipy"})

CONSTANTS = {"pi": "3.141592653589793", "e": "2.718281828459045", "inf": "1e30", "tau": "6.283185307179586"}
"""Numbers that have a name elsewhere."""

_CONSTANTS = {
    "pi": "Write the number: 3.141592653589793.",
    "tau": "Write the number: 6.283185307179586.",
    "e": "Write the number: 2.718281828459045, or exp(1.0).",
    "inf": "Values are finite; write a large number, such as 1e30.",
    "nan": "Values are finite; write a number.",
}

BACKWARD = frozenset({"backward", "vjp", "zero_grad", "step", "requires_grad_"})
"""Methods of other libraries that a formula needs no line for."""

_SPECIAL = {
    "print": "Every value is shown; a line only needs a name: y = sin(x).",
    "checkpoint": 'A region is a block: with checkpoint("name"): and the lines inside it indented.',
    "remat": 'Use a block: with checkpoint("name"): and the lines inside it indented.',
    "group": 'A group is a block: with group("name"): and the lines inside it indented.',
    "branches": 'Branches are a block: with branches("name"): and a group for each of them inside it.',
    "array": "Write the numbers themselves: [1.0, 2.0].",
    "asarray": "Write the numbers themselves: [1.0, 2.0].",
    "tensor": "Write the numbers themselves: [1.0, 2.0].",
    "float": "Write the number itself: 1.0.",
    "len": "Write the number itself; mean(x) divides by it.",
    "grad": "The lab differentiates the output by itself; write only the forward computation.",
    "vjp": "The lab differentiates the output by itself; write only the forward computation.",
    "backward": "The lab differentiates the output by itself; write only the forward computation.",
}

OF_TWO = {
    "max": "For the larger of two values write maximum(a, b).",
    "min": "For the smaller of two values write minimum(a, b).",
    "prod": "For the product of two values write a * b.",
}
"""Hints for a reduction that is called with two values."""

_NO_GRADIENT = "nograd", "inferencemode", "setgradenabled"
_WITH = dict.fromkeys(
    _NO_GRADIENT,
    "Leave the block out; put stop_gradient around each value inside it: y = stop_gradient(sin(x)).",
) | dict.fromkeys(("enablegrad", "gradienttape", "record"), _SPECIAL["grad"])

LAMBDA = "A lambda stands only inside rewrite(x, lambda v: ...) or custom(op(x), pullback=lambda ...)."

KEYWORDS = {
    "class": "There are no classes; write the steps one below the other.",
    "while": "A loop has a fixed number of steps: for i in range(4):, with the lines of a step indented.",
    **dict.fromkeys(("if", "elif", "else"), "There is no choice of lines; use where(condition, a, b)."),
    "import": "Nothing needs an import: sin, exp, matmul and the others are there.",
    "from": "Nothing needs an import: sin, exp, matmul and the others are there.",
}

_OTHER_KEYWORDS = "async assert await break continue del except finally global nonlocal raise try yield"
KEYWORDS |= dict.fromkeys(
    _OTHER_KEYWORDS.split(),
    "A line is name = expression, with checkpoint(...):, group(...): or branches(...):, or return name.",
)

_LOOKALIKES = {
    "×": "*", "·": "*", "⋅": "*", "∙": "*", "÷": "/", "∕": "/", "−": "-", "–": "-", "—": "-",
    "²": "** 2", "³": "** 3", "√": "sqrt", "∑": "sum", "Σ": "sum", "≤": "<", "≥": ">", "…": "...",
    "“": '"', "”": '"', "‘": "'", "’": "'", "\xa0": "a plain space", "\ufeff": "nothing",
    "∞": "1e30",
}  # fmt: skip


def nearest(word: str, choices: Iterable[str]) -> str:
    """Return the choice that is spelt most like `word`, or "" when none is near."""
    pool = [choice for choice in choices if abs(len(choice) - len(word)) <= 2 + len(word) // 3]
    if len(pool) > _NEAR:
        pool = [choice for choice in pool if choice[0] == word[0]][:_NEAR]
    lowered = {choice.lower(): choice for choice in pool}
    near = get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    return lowered[near[0]] if near else ""


_WORDS_FOR = {"\xa0": " "}
_RAISED = {"²": "2", "³": "3"}


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return "Did you mean 'sin'?", or "" when no choice is near."""
    near = nearest(word, choices)
    return f"Did you mean {near!r}?" if near else ""


def function_meant(name: str) -> str:
    """Return the function of the language that `name` must mean, or ""; of several none is chosen."""
    ours = _OURS.get(_close(name), ())
    if ours or name in _SPECIAL:
        return ours[0] if len(ours) == 1 else ""
    return nearest(name, FUNCTIONS)


def function_hint(name: str) -> str:
    """Return a hint for the unknown function `name`."""
    if name in _SPECIAL:
        return _SPECIAL[name]
    if name.startswith(OWN_OP):
        return ELSEWHERE
    if ours := _OURS.get(_close(name)):
        return f"Here it is called {listed([repr(other) for other in ours], last='or')}."
    return did_you_mean(name, FUNCTIONS) or "The palette lists all ops; sin, exp, relu, sum, matmul are some."


def block_hint(name: str) -> str:
    """Return a hint for a block of another library: `with torch.no_grad():`; "" where none is known."""
    return _WITH.get(_close(name), "")


def name_hint(name: str, known: Iterable[str]) -> str:
    """Return a hint for the unknown name `name`."""
    if name in FUNCTIONS:
        return f"{name!r} is an op: write it with its inputs, {call_shape(name)}."
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    stem, _, number = name.rpartition("_")
    if stem in FUNCTIONS and number.isdigit():
        return f"To use a step in two places, give it a line of its own: {name} = {call_shape(stem)}."
    return did_you_mean(name, known) or f"Give it a value on a line above: {name} = 1.0."


def attribute_hint(root: str, attribute: str, called: bool) -> str:
    """Return a hint for an attribute, such as `np.sin(x)`, `x.T` or `x.detach()`."""
    if called and attribute in BACKWARD:
        return _SPECIAL["backward"]
    names = _OURS.get(_close(attribute), [attribute])
    ours = names[0]
    if root in MODULES:
        if attribute in _CONSTANTS:
            return _CONSTANTS[attribute]
        if ours in FUNCTIONS:
            calls = listed([f"{other}(...)" for other in names], last="or")
            return f"Write {calls} without {root!r}."
        return function_hint(attribute)
    if ours == "at_set":
        return f"Write {root or 'x'}.at[0].set(v)."
    if ours in FUNCTIONS:
        return f"Write {ours}({root or 'x'}{', ...' if called and ours in ('reshape', 'custom') else ''})."
    return "Values have no attributes; ops are written sin(x), sum(x), transpose(x)."


def call_shape(name: str) -> str:
    """Write a call of an op with the names of its slots: "clip(x, low, high)"."""
    op = OPS.get(name)
    if op is None:
        return f"{name}(...)"
    if name == "at_set":
        return "x.at[0].set(v)"
    if op.variadic:
        return f"{name}([a, b])"
    return f"{name}({', '.join(op.slots or tuple(f'{param.name}={param.default}' for param in op.params))})"


def character_hint(piece: str) -> str:
    """Return a hint for a name, a text or a character outside printable ASCII."""
    if piece in _LOOKALIKES:
        return f"Write {_LOOKALIKES[piece]} instead."
    if piece[-1] in _RAISED:
        return f"Write {character_text(piece)}."
    plain = "".join(_spelled(letter) for letter in piece[:40])
    return f"Names use a-z, A-Z, 0-9 and _; write {plain}." if plain.isidentifier() else "Remove it."


def character_text(piece: str) -> str:
    """Return what a name or a sign outside printable ASCII means in a formula; "" if that is not clear."""
    if piece in _WORDS_FOR:
        return _WORDS_FOR[piece]
    if piece in _LOOKALIKES:
        return _LOOKALIKES[piece]
    if piece[-1] in _RAISED and piece[:-1].isascii():
        return f"{piece[:-1]} ** {_RAISED[piece[-1]]}"
    plain = "".join(map(_spelled, piece))
    return plain if plain.isidentifier() else ""


def _spelled(letter: str) -> str:
    """Transliterate a character: "θ" to "theta", "é" to "e", "x₁" to "x1"; "" without an equivalent."""
    if letter.isascii():
        return letter
    name = unicodedata.name(letter, "")
    if name.startswith("GREEK"):
        word = name.split(" WITH ")[0].split()[-1]
        return word.capitalize() if "CAPITAL" in name else word.lower()
    return "".join(
        c for c in unicodedata.normalize("NFKD", letter) if c.isascii() and (c.isalnum() or c == "_")
    )


def number_hint(piece: str) -> str:
    """Return a hint for a malformed number: `2x`, `0xff` or `1j`."""
    product = number_text(piece)
    return f"For a product write {product}." if product else "Write it like 12, 0.5 or 1e-3."


def number_text(piece: str) -> str:
    """Return the product that is written `2x`; "" for another malformed number."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)([A-Za-z_]\w*)", piece)
    return f"{match[1]} * {match[2]}" if match and match[2] not in "jJlLfF" else ""

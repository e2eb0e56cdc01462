"""Read `functions.rows.txt`: how each function is called on the grid. Nothing of the reader is imported here.

A line is `names: call; call`. In a call `F` is the function, `NAME` its last name, and small letters are
arrays (`texts.ARRAYS`). A call that ends in `!` has no derivative, and one that begins with `jax|` is made in
that dialect alone. Names are those of the reader's tables; `{a,b}.{c,d}` stands for four of them, of which
those count that the reader has. What has no row is in `without.txt`, with the reason.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

FOLDER = Path(__file__).parent
ENDS = re.compile(r"\{([^}]*)\}")

DIALECTS = ("jax", "numpy", "autograd", "math", "torch", "tf")


@dataclass(frozen=True)
class Call:
    """A call of a function in a dialect.

    Attributes:
      dialect: one of `DIALECTS`.
      name: of the function in the reader's tables; of a method `torch.Tensor.abs` or `ndarray.sum`.
      code: the expression, written in that dialect.
      slope: whether it is differentiated.
    """

    dialect: str
    name: str
    code: str
    slope: bool = True


def _lines(file: str) -> list[tuple[list[str], str]]:
    found = []
    for line in (FOLDER / file).read_text("utf-8").splitlines():
        line = line.partition("#")[0].strip()
        if line:
            names, _, rest = line.partition(": ")
            found.append(([one for part in names.split() for one in expand(part)], rest))
    return found


@cache
def without() -> dict[str, str]:
    """Return why names have no row."""
    return {name: reason for names, reason in _lines("without.txt") for name in names}


def expand(name: str) -> list[str]:
    """Return what a name with alternatives in braces stands for."""
    parts = ENDS.split(name)  # text, alternatives, text, ...
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(one) for one in product(*choices)]


SAME = (
    (re.compile(r"^tensorflow\.(?:compat\.v[12]\.)+"), "tensorflow."),
    (re.compile(r"^tensorflow\.(?:python\.)?keras\."), "keras."),
    (re.compile(r"^autograd\.numpy\."), "numpy."),
    (re.compile(r"^autograd\.scipy\."), "scipy."),
    (re.compile(r"^tensorflow\.(losses|initializers|optimizers)\."), r"keras.\1."),
)
"""Names under which a function is there once more, or as another library has it."""


def alias_of(name: str) -> str:
    """Return the name whose row holds a function, which is nearly always its own."""
    for pattern, ours in SAME:
        name = pattern.sub(ours, name)
    return name


SPELLINGS = {
    "numpy.": {"jax": "jnp.", "numpy": "np.", "autograd": "np."},
    "lax.": {"jax": "lax."},
    "nn.": {"jax": "jax.nn."},
    "scipy.": {"jax": "jax.scipy.", "numpy": "scipy.", "autograd": "scipy."},
    "jax.": {"jax": "jax."},
    "math.": {"math": "math."},
    "torch.": {"torch": "torch."},
    "tensorflow.": {"tf": "tf."},
    "keras.": {"tf": "keras."},
}
"""How the beginning of a name of the tables is written, by dialect."""


def spellings(name: str) -> dict[str, str]:
    """Return how a function of the tables is written in each dialect that may have it."""
    begin = max((begin for begin in SPELLINGS if name.startswith(begin)), key=len)
    return {dialect: ours + name.removeprefix(begin) for dialect, ours in SPELLINGS[begin].items()}


@cache
def calls(dialect: str) -> tuple[Call, ...]:
    """Return all calls of a dialect, those of methods too."""
    found: dict[tuple[str, str], Call] = {}
    for names, texts in _lines("rows.txt"):
        for name in names:
            spelled = spellings(name).get(dialect)
            for text in filter(None, map(str.strip, texts.split(";"))) if spelled else ():
                only, bar, rest = text.partition("|")
                if bar and only in DIALECTS:
                    if only != dialect:
                        continue
                    text = rest.strip()
                slope, text = not text.endswith("!"), text.rstrip("! ")
                code = re.sub(r"\bF\b", spelled, text).replace("NAME", name.rpartition(".")[2])
                if dialect == "jax":
                    code = re.sub(r"(?<![\w.])np\.", "jnp.", code)
                found.setdefault((name, code), Call(dialect, name, code, slope))
                if method := _as_method(dialect, name, text):
                    found.setdefault(method, Call(dialect, *method, slope))
    return tuple(found.values())


METHODS_OF = {"torch": "torch.", "jax": "numpy.", "numpy": "numpy."}
"""The functions that a dialect's arrays have as methods, by the beginning of their names."""


def _as_method(dialect: str, name: str, text: str) -> tuple[str, str] | None:
    """Return name and code of the call of a method: the first argument is what it is called on."""
    begin = METHODS_OF.get(dialect, "-")
    last = name.removeprefix(begin)
    if not name.startswith(begin) or "." in last:
        return None
    tree = ast.parse(text, mode="eval")
    made = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and ast.unparse(one.func) == "F"]
    if len(made) != 1 or not made[0].args or not isinstance(made[0].args[0], ast.Name):
        return None
    made[0].func = ast.Attribute(made[0].args.pop(0), last)
    return f"{'torch.Tensor' if dialect == 'torch' else 'ndarray'}.{last}", ast.unparse(tree)

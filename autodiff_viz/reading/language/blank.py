"""Drop what computes nothing: plots, files, clocks, logs, progress bars, and checks of a text's own.

What such a call gives is a blank: whatever is done with it is left out too, and nothing can be computed from
it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autodiff_viz.reading.language.values import Native, Path, Refused

# fmt: off
LIBRARIES = frozenset(
    [
        "matplotlib", "mpl_toolkits", "pylab", "seaborn", "plotly", "bokeh", "altair", "IPython",
        "ipywidgets", "graphviz", "torchviz", "pydot", "networkx", "warnings", "logging", "time",
        "timeit", "datetime", "rich", "pprint", "tabulate", "torchinfo", "torchsummary",
        "tensorboard", "tensorboardX", "wandb", "mlflow", "gc", "tqdm", "google", "textwrap",
        "platform", "psutil", "tracemalloc", "cProfile", "pdb", "atexit", "signal",
    ]
)
# fmt: on
"""Libraries that show, log, measure or wait."""

FUNCTIONS = re.compile(
    r"^(os\.(environ|makedirs|mkdir|path|getcwd|listdir|sep)\b.*|sys\.(path|stdout|stderr|setrecursionlimit"
    r"|version)\b.*"
    r"|open|display|input|help|breakpoint"
    r"|jax\.(make_jaxpr|debug\.\w+|profiler\.\w+|test_util\.check_\w+|devices|local_devices|device_count|clear_caches"
    r"|default_backend|print_environment_info|live_arrays)"
    r"|jax\.config\.update\.\w+"
    r"|torch\.(save|profiler\.\w+|autograd\.(gradcheck|gradgradcheck|gradcheck\.\w+|profiler\.profile)|set_num_threads"
    r"|set_num_interop_threads|set_default_device|testing\.\w+|cuda\.\w+|mps\.\w+|backends\..*|utils\.tensorboard\..*"
    r"|_dynamo\..*|set_float32_matmul_precision|get_num_threads)"
    r"|numpy\.(set_printoptions|printoptions|testing\.\w+|seterr|errstate|save|savez|savetxt|show_config)"
    r"|tensorflow\.(print|debugging\.\w+|get_logger|summary\..*|autograph\.set_verbosity|config\.\w*(device|gpu)\w*.*"
    r"|config\.experimental\..*|keras\.utils\.plot_model|compat\.v1\.logging\..*)"
    r"|autograd\.test_util\.check_grads)$"
)
"""Functions of other libraries, and of Python, that do."""


def is_blank(path: str) -> bool:
    """Return whether a name of a library is of something that is left out."""
    return path.partition(".")[0] in LIBRARIES or FUNCTIONS.match(path) is not None


@dataclass(frozen=True, eq=False)
class Blank:
    """What a call gives that is left out.

    Attributes:
      of: the call's name.
    """

    of: str


@dataclass(frozen=True, eq=False)
class Bar:
    """A progress bar over elements."""

    items: list[Any]


def of_library(path: str) -> Blank | None:
    """Return a blank for a name of a library that is left out, but for progress bars; None for another."""
    return Blank(path) if is_blank(path) and path.partition(".")[0] != "tqdm" else None


def unknown(blank: Blank) -> Refused:
    """Return the refusal of a computation with a blank."""
    return Refused(
        f"What `{blank.of}` gives is not read: plots, files and clocks are left out.",
        "Write the numbers in its place.",
        "left-out",
    )


def _bar(reader: Any, args: list, keywords: dict) -> Bar | Blank:
    given = args[0] if args else keywords.get("iterable")
    return Blank("tqdm") if given is None else Bar(reader.items(given))


def install(reader: Any) -> None:
    """Teach a reader what is left out."""

    def attribute(_: Any, blank: Blank, name: str, node: ast.AST) -> Blank:
        return Blank(blank.of)

    def entered(_: Any, blank: Blank) -> tuple[Any, Callable[[], None]]:
        return blank, lambda: None

    reader.handlers.attribute[Blank] = attribute
    reader.handlers.item[Blank] = lambda reader, blank, index, node: blank
    reader.handlers.set_item[Blank] = lambda *_: None
    reader.handlers.set_attribute[Blank] = lambda *_: None
    reader.handlers.set_item[Path] = _set_part
    reader.handlers.set_attribute[Path] = _set_part
    reader.handlers.item[Path] = _part
    reader.handlers.call[Blank] = lambda reader, blank, args, keywords, node: blank
    reader.handlers.enter[Blank] = entered
    reader.handlers.attribute[Bar] = attribute_of_bar
    reader.handlers.items[Bar] = lambda reader, bar, node: bar.items
    reader.handlers.enter[Bar] = lambda reader, bar: (bar, lambda: None)
    bars = dict.fromkeys(("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "tqdm.tqdm_notebook"), _bar)
    ranges = {
        f"tqdm{middle}.trange": lambda reader, *args, **_: Bar(
            reader.builtins["range"](reader, list(args), {})
        )
        for middle in ("", ".auto", ".notebook")
    }
    reader.tables |= {
        name: lambda reader, *args, make=make, **keywords: make(reader, list(args), keywords)
        for name, make in bars.items()
    } | ranges


def _part(reader: Any, path: Path, index: Any, node: ast.AST) -> Blank:
    """Return an element of what a library has, such as `os.environ["HOME"]`."""
    found = of_library(path.name)
    if found is None:
        raise Refused(f"`{path.name}` has no elements that are read.", at=node)
    return found


def _set_part(reader: Any, path: Path, part: Any, value: Any, target: ast.AST) -> None:
    if of_library(path.name) is None:
        raise Refused(f"What `{path.name}` is cannot be changed here.", at=target)
    reader.say(target, f"`{path.name}` is left out: it computes nothing here")


def attribute_of_bar(reader: Any, bar: Bar, name: str, node: ast.AST) -> Any:
    """Return what a bar says, which is left out."""
    return Blank("tqdm")


__all__ = ["Bar", "Blank", "Native", "Path", "install", "is_blank", "of_library", "unknown"]

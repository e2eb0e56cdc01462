"""List the paths of the selected node, as data for the browser: largest first, with their factors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from math import inf, isfinite
from typing import Any

from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.explanation import OF_NODE, ExplanationKind, wire_id
from autodiff_viz.explain.paths.compute import (
    KEPT,
    Path,
    Paths,
    amount,
    is_written,
    paths,
    paths_of,
    size,
    subject,
    takes_long,
)
from autodiff_viz.explain.paths.figure import low_paths, paths_figure, paths_text
from autodiff_viz.graph.identity import identity, remembered
from autodiff_viz.graph.text import counted, listed_names, scalar
from autodiff_viz.ops.catalog import slot_label
from autodiff_viz.workers.jobs import Answer, Job, job_of

Data = dict[str, Any]
Onward = Mapping[str, Set[Wire]]

ROWS, WIRES = 30, 400  # of the list; a message to the browser stays small
NAMED, FORKS, FACTORS = 7, 9, 6  # nodes and factors of a long path that are written


def paths_job(trace: Trace, name: str | None) -> Job:
    """Return the job that lists the paths of a node in a worker process."""
    return job_of(paths_list, trace, name)


@remembered(KEPT, lambda trace, name: identity((trace.identity, name)))
def listed_here(trace: Trace, name: str | None) -> Answer:
    """Return the list as an answer, worked out in this process."""
    return Answer(paths_list(trace, name))


def paths_list(trace: Trace, selected: str | None) -> Data:
    """Return the paths of the selected node, or without one of the first parameter or input.

    `says` are sentences about all of them; `rows` have `way` and `sum` as text, the `nodes`, and the ids of
    the `wires` on the canvas; `below` says that the product is negative.
    """
    name = subject(trace, selected)
    if name is None:
        return {"name": "", "says": ["Add an input that leads to the output."], "rows": []}
    listing = paths_of(trace, name)
    onward: dict[str, set[Wire]] = {}  # the wires by which the listed paths leave each node
    for path in listing.paths[:ROWS]:
        for before, wire in zip(path.nodes, path.wires, strict=False):
            onward.setdefault(before, set()).add(wire)
    rows: list[Data] = []
    room = WIRES
    for path in listing.paths[:ROWS]:
        room -= len(path.wires)
        if room < 0 and rows:  # the largest path is listed however long it is
            break
        row = {
            "way": " → ".join(_way(trace, path, onward)),
            "sum": f"{_sum(listing, path)}{_against(listing, path)}",
            "nodes": list(path.nodes),
            "wires": [wire_id(trace.graph, wire) for wire in path.wires],
        }
        if path.product.size == 1 and path.product.item() < 0:
            row["below"] = True
        if path.of_rule:
            row["note"] = f"begins at the rule of {path.nodes[-1]}"
        rows.append(row)
    data = {"name": name, "says": list(_says(trace, listing, selected is None)), "rows": rows}
    if (left := listing.count - len(rows)) <= 0:
        return data
    rest = sum((path.product for path in listing.paths[len(rows) :]), listing.rest)
    norm = float((rest**2).sum() ** 0.5)
    return {**data, "rest": f"{counted(left, 'more path')}: {amount(rest, norm)}"}


def _way(trace: Trace, path: Path, onward: Onward) -> list[str]:
    """Return the nodes of a path, with the slot where two wires join the same nodes.

    Of a long path it is both ends, and the nodes behind a fork, which distinguish it from the others.
    """
    texts = [path.nodes[0]]
    long = len(path.nodes) > NAMED
    forks = any(len(onward[name]) > 1 for name in path.nodes[:-1])
    for before, wire in zip(path.nodes, path.wires, strict=False):
        alike = sum(other[0] == wire[0] for other in onward[before])
        slot = f" ({slot_label(trace.graph[wire[0]], wire[1])})" if alike > 1 else ""
        implied = long and forks and len(onward[before]) == 1 and wire is not path.wires[-1]
        texts.append("…" if implied else f"{wire[0]}{slot}")
    return _once(_shortened(_once(texts), FORKS if forks else NAMED))


def _once(texts: Sequence[str]) -> list[str]:
    """Return the texts with one "…" in place of several in a row."""
    return [text for i, text in enumerate(texts) if text != "…" or i == 0 or texts[i - 1] != "…"]


def _sum(listing: Paths, path: Path) -> str:
    """Return a product as text: 1.5 × 0.8253 = 1.238; of tensors what it is, and its norm as a product."""
    start = [] if path.start == 1 and path.factors else [scalar(path.start)]
    factors = [*start, *(scalar(factor) for factor in path.factors)]
    if path.of_rule:
        factors = factors[:-1]
    product, equation = amount(path.product, path.size), " × ".join(_shortened(factors, FACTORS))
    if not listing.norms:
        return product if len(factors) < 2 else f"{equation} = {product}"
    if not isfinite(path.size):
        return product if is_written(path.product) else "not finite"
    norms = f"norms {equation} = {scalar(path.size)}" if len(factors) > 1 else f"norm {scalar(path.size)}"
    return f"{product}; {norms}" if is_written(path.product) else norms


def _against(listing: Paths, path: Path) -> str:
    """Return how the tensor of a path lies to that of the first, if neither is written out."""
    first = listing.paths[0]
    if path is first or is_written(path.product) or not 0 < path.size * first.size < inf:
        return ""
    cosine = float((path.product * first.product).sum()) / path.size / first.size
    return f", cosine to the first {scalar(cosine, 3)}"


def _shortened(items: Any, most: int) -> list[str]:
    items = list(items)
    return items if len(items) <= most else [*items[: most - 2], "…", items[-1]]


def _says(trace: Trace, listing: Paths, is_chosen: bool) -> Any:
    name, output = listing.name, trace.output
    if is_chosen:
        yield f"No node is selected: these are the paths of {name}."
    if listing.count:
        cotangent = trace.cotangent[name]
        shape = f"A tensor of shape {list(cotangent.shape)}"
        arrives = scalar(cotangent.item()) if cotangent.size == 1 else shape
        paths = "one path" if listing.count == 1 else f"{listing.count:,} paths"
        yield f"{arrives} arrives at {name}, the sum over {paths} to {output}."
    else:
        yield f"No path from {name} to {output} passes anything."
    if listing.norms and listing.count:
        yield from _describe_norms(trace, listing)
    if listing.closed:
        closed = "1 path is" if listing.closed == 1 else f"{listing.closed:,} paths are"
        yield f"{closed} closed, by a stop or an op without a derivative."
    if listing.shared:
        yield (
            f"The rule of {listed_names(listing.shared)} is not linear: its factor is what was passed "
            "divided by what arrived."
        )
    if not listing.exact:
        yield "Where many paths meet only the largest were followed; a smaller one may have grown."


def _describe_norms(trace: Trace, listing: Paths) -> Iterator[str]:
    """Say that factors are ratios of norms, and that norms do not add up where paths point apart."""
    yield "Tensors are on the way: a factor is by how much the norm grows, and has no sign."
    arrives, together = size(trace.cotangent[listing.name]), sum(path.size for path in listing.paths)
    if listing.count == len(listing.paths) > 1 and isfinite(together) and arrives < 0.999 * together:
        yield (
            f"Norms do not add up: those of the paths are {scalar(together)} together, that of their sum is "
            f"{scalar(arrives)}."
        )


PATHS = ExplanationKind(
    key="paths",
    title="Paths",
    what_it_says="Along which paths the gradient of the selected node comes, and how much along each.",
    word="path",
    public=("paths",),
    compute=lambda trace, name: paths(trace, subject(trace, name)),
    of=OF_NODE,
    build=paths_figure,
    text=paths_text,
    low=low_paths,
    slow_for=takes_long,
    row="paths of an input",
    example=lambda graph: (trace(graph), graph.nodes[0].name),
)

"""List of the paths of the selected node, as data for the browser: largest first, with their factors."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from autodiff_viz.engine.explain.derivatives.paths import Path, Paths
from autodiff_viz.engine.trace import Trace
from autodiff_viz.figures.derivatives.paths import KEPT, amount, paths_of, subject
from autodiff_viz.graph.identity import identity, remembered
from autodiff_viz.graph.text.names import listed_names
from autodiff_viz.graph.text.text_format import counted, scalar
from autodiff_viz.views.node.cures import wire_id
from autodiff_viz.workers.jobs import Answer, Job

Data = dict[str, Any]

ROWS, WIRES = 30, 400  # of the list; a message to the browser stays small
NAMED, FACTORS = 5, 6  # nodes and factors of a long path that are written


def paths_job(trace: Trace, name: str | None) -> Job:
    """Return the job that lists the paths of a node in a worker process."""
    return Job(identity(("paths", trace.identity, name)), paths_list, (trace, name))


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
    found = paths_of(trace, name)
    rows: list[Data] = []
    shared = set.intersection(*({*path.nodes} for path in found.paths[:ROWS])) if found.count else set()
    room = WIRES
    for path in found.paths[:ROWS]:
        room -= len(path.wires)
        if room < 0 and rows:
            break
        rows.append(_row(trace, path, shared))
    left = found.count - len(rows)
    data = {"name": name, "says": list(_says(trace, found, selected is None)), "rows": rows}
    return {**data, "rest": _rest(found, len(rows))} if left > 0 else data


def _row(trace: Trace, path: Path, shared: Set[str]) -> Data:
    return {
        "way": " → ".join(_way(path.nodes, shared)),
        "sum": _sum(path),
        "nodes": list(path.nodes),
        "wires": [wire_id(trace.graph, wire) for wire in path.wires],
        **({"below": True} if path.product.size == 1 and path.product.item() < 0 else {}),
        **({"note": f"begins at the rule of {path.nodes[-1]}"} if path.of_rule else {}),
    }


def _way(nodes: Sequence[str], shared: Set[str]) -> list[str]:
    """Return the nodes of a path; of a long one both ends and those that tell it from the others."""
    if len(nodes) <= NAMED:
        return [*nodes]
    told = [name if i in (0, len(nodes) - 1) or name not in shared else "…" for i, name in enumerate(nodes)]
    told = [name for i, name in enumerate(told) if name != "…" or told[i - 1] != "…"]
    return _shortened(told, NAMED + 2)


def _sum(path: Path) -> str:
    """Return a product as text: 1.5 × 0.8253 = 1.238; of tensors with norms."""
    tensor = path.product.size != 1
    start = [] if path.start == 1 and path.factors else [scalar(path.start)]
    factors = [*start, *(scalar(factor) for factor in path.factors)]
    if path.of_rule:
        factors = factors[:-1]
    product = amount(path.product, path.size)
    if len(factors) < 2:
        return product
    head = "norm " if tensor else ""
    return f"{head}{' × '.join(_shortened(factors, FACTORS))} = {product.removeprefix(head)}"


def _shortened(items: Any, most: int) -> list[str]:
    items = list(items)
    return items if len(items) <= most else [*items[: most - 2], "…", items[-1]]


def _rest(found: Paths, shown: int) -> str:
    """Return what all other paths bring, as a sentence."""
    rest = sum((path.product for path in found.paths[shown:]), found.rest)
    size = float((rest**2).sum() ** 0.5)
    return f"{counted(found.count - shown, 'more path')}: {amount(rest, size)}"


def _says(trace: Trace, found: Paths, is_chosen: bool) -> Any:
    name, output = found.name, trace.output
    if is_chosen:
        yield f"No node is selected: these are the paths of {name}."
    if found.count:
        cotangent = trace.cotangent[name]
        shape = f"A tensor of shape {list(cotangent.shape)}"
        arrives = scalar(cotangent.item()) if cotangent.size == 1 else shape
        paths = "one path" if found.count == 1 else f"{found.count:,} paths"
        yield f"{arrives} arrives at {name}, the sum over {paths} to {output}."
    else:
        yield f"No path from {name} to {output} passes anything."
    if found.closed:
        closed = "1 path is" if found.closed == 1 else f"{found.closed:,} paths are"
        yield f"{closed} closed, by a stop or an op without a derivative."
    if found.shared:
        yield (
            f"The rule of {listed_names(found.shared)} is not linear: its factor is what was passed divided "
            "by what arrived."
        )
    if not found.exact:
        yield "Where many paths meet only the largest were followed; a smaller one may have grown."

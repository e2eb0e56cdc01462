"""`with checkpoint("name"):` blocks -> regions. Blocks of the same name make up one region."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import POLICIES, Region
from autodiff_viz.graph.names import quoted, region_name_fault
from autodiff_viz.graph.problem import Problem
from autodiff_viz.language.caret import Span, problem_at
from autodiff_viz.language.hints import did_you_mean
from autodiff_viz.language.source import LogicalLine

SAVE_ONLY = "save_only_these_names"
_EXAMPLE = 'Write with checkpoint("name"): and indent the lines inside it.'


@dataclass(slots=True)
class Draft:
    """A region that is being read. `saved` maps the names to be kept to their places in the text."""

    line: int
    policy: str = POLICIES[0]
    saved: dict[str, Span] = field(default_factory=dict)
    nodes: set[str] = field(default_factory=set)


Drafts = dict[str, Draft]


def read_heads(
    line: LogicalLine, statement: ast.With, around: tuple[str, ...], drafts: Drafts
) -> tuple[str, ...]:
    """The regions that hold inside a `with` block, whose heads are added to `drafts`.

    Raises:
      GraphError: a head is not `checkpoint("name", policy=..., names=...)`.
    """
    for item in statement.items:
        if item.optional_vars is not None:
            raise line.error(item.optional_vars, "region", "A region has no 'as'.", _EXAMPLE)
        around = (*around, _read_head(line, item.context_expr, around, drafts))
    return around


def _read_head(line: LogicalLine, node: ast.expr, around: tuple[str, ...], drafts: Drafts) -> str:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "checkpoint"):
        raise line.error(node, "region", "After 'with' comes checkpoint(...).", _EXAMPLE)
    if len(node.args) != 1:
        raise line.error(node, "region", "A region needs one name.", _EXAMPLE)
    name = _text(line, node.args[0])
    if fault := region_name_fault(name):
        raise line.error(node.args[0], "region", f"The region's name {quoted(name)} {fault}.", "Change it.")
    if name in around:
        raise line.error(node, "region", f"This line is inside region {name!r} already.", "Use another name.")
    if len(around) >= limits.REGION_DEPTH:
        message = f"Regions are more than {limits.REGION_DEPTH} deep here."
        raise line.error(node, "too-deep", message, "Remove an outer one.")
    if name not in drafts and len(drafts) >= limits.REGIONS:
        raise line.error(node, "region", f"There are more than {limits.REGIONS} regions.", "Remove some.")
    head = _read_policy(line, node)
    first = drafts.setdefault(name, head)
    if node.keywords and (first.policy, first.saved.keys()) != (head.policy, head.saved.keys()):
        message = f"Region {name!r} has another policy in line {first.line}."
        raise line.error(node, "region", message, f'Only continue it here: with checkpoint("{name}"):')
    return name


def _read_policy(line: LogicalLine, node: ast.Call) -> Draft:
    draft, given = Draft(line.number), {keyword.arg: keyword.value for keyword in node.keywords}
    for keyword in node.keywords:
        if keyword.arg not in ("policy", "names"):
            message = f"checkpoint has no {quoted(keyword.arg or '**')}."
            raise line.error(keyword, "keyword", message, "It takes a name, policy and names.")
    if "policy" in given:
        draft.policy = _text(line, given["policy"])
        if draft.policy not in POLICIES:
            hint = did_you_mean(draft.policy, POLICIES) or f"The policies are {', '.join(POLICIES)}."
            message = f"There is no policy {quoted(draft.policy)}."
            raise line.error(given["policy"], "policy", message, hint)
    if "names" in given:
        if "policy" not in given:
            hint = f'Write policy="{SAVE_ONLY}", names=(...).'
            raise line.error(given["names"], "policy", "Names are kept by one policy only.", hint)
        node = given["names"]
        parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
        draft.saved = {_text(line, part): line.span(part) for part in parts}
    elif draft.policy == SAVE_ONLY:
        message = f"The policy {SAVE_ONLY} needs the names of the nodes to keep."
        raise line.error(node, "policy", message, 'Add names=("a", "b").')
    return draft


def _text(line: LogicalLine, node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    word = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else "name"
    raise line.error(node, "region", "A name in quotes is needed here.", f'Write "{word[: limits.NAME]}".')


def finish(drafts: Drafts, known: set[str], source: list[str], problems: list[Problem]) -> tuple[Region, ...]:
    """The regions that were read; a saved name that is not in `known` becomes a problem."""
    for draft in drafts.values():
        for name in draft.saved.keys() - known:
            message = f"{quoted(name)} is no node of the graph."
            hint = did_you_mean(name, known) or "Keep the name of a line, or give the step a name."
            problems.append(problem_at(source, draft.saved[name], "unknown-name", message, hint))
    return tuple(
        Region(name, frozenset(draft.nodes), draft.policy, frozenset(draft.saved))
        for name, draft in drafts.items()
    )

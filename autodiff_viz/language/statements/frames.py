"""Read the blocks `with checkpoint("name"):`, `with group("name"):` and `with branches("name"):`.

Blocks of the same name make up one region or one group.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Group, Region
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.text.names import quoted, region_name_fault
from autodiff_viz.language.source.caret import problem_at
from autodiff_viz.language.source.hints import block_hint, did_you_mean
from autodiff_viz.language.source.scanner import LogicalLine
from autodiff_viz.language.statements.checkpoints import EXAMPLE, Policy, read_policy, text_of

CHECKPOINT, GROUP, BRANCHES = "checkpoint", "group", "branches"
CALLED = {CHECKPOINT: "region", GROUP: "group", BRANCHES: "group"}
MOST = {"region": limits.REGIONS, "group": limits.GROUPS}
DEEPEST = {"region": limits.REGION_DEPTH, "group": limits.GROUP_DEPTH}


_KINDS = {**CALLED, BRANCHES: "group of branches"}


@dataclass(slots=True)
class Draft:
    """A region or a group that is being read.

    Attributes:
      kind: word of its head: checkpoint, group or branches.
      line: its first head.
      policy: of a region.
      nodes: names of its nodes so far.
    """

    kind: str
    line: LogicalLine
    policy: Policy
    nodes: set[str] = field(default_factory=set)


Drafts = dict[str, Draft]


def read_heads(
    line: LogicalLine, statement: ast.With, around: tuple[str, ...], drafts: Drafts
) -> tuple[str, ...]:
    """Read the heads of a `with` block into `drafts`; return the names of all frames around its lines.

    Raises:
      GraphError: a head is not `checkpoint("name", policy=..., names=...)`, `group("name")` or
        `branches("name")`.
    """
    for item in statement.items:
        if item.optional_vars is not None:
            raise line.error(item.optional_vars, "region", "A block has no 'as'.", EXAMPLE)
        around = (*around, _read_head(line, item.context_expr, around, drafts))
    return around


def _read_head(line: LogicalLine, node: ast.expr, around: tuple[str, ...], drafts: Drafts) -> str:
    kind = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    if kind not in CALLED:
        hint = block_hint(_last_word(node)) or did_you_mean(kind, CALLED) or EXAMPLE
        message = "After 'with' comes checkpoint(...), group(...) or branches(...)."
        raise line.error(node, "region", message, hint)
    called = CALLED[kind]
    if len(node.args) != 1:
        raise line.error(node, "region", f"A {called} needs one name.", f'Write {kind}("name").')
    name = text_of(line, node.args[0])
    if fault := region_name_fault(name):
        raise line.error(node.args[0], "region", f"The {called}'s name {quoted(name)} {fault}.", "Change it.")
    if name in around:
        message = f"This line is inside {CALLED[drafts[name].kind]} {name!r} already."
        raise line.error(node, "region", message, "Use another name.")
    if sum(CALLED[drafts[outer].kind] == called for outer in around) >= DEEPEST[called]:
        message = f"{called.capitalize()}s are more than {DEEPEST[called]} deep here."
        raise line.error(node, "too-deep", message, "Remove an outer one.")
    if name not in drafts and sum(CALLED[draft.kind] == called for draft in drafts.values()) >= MOST[called]:
        message = f"There are more than {MOST[called]} {called}s."
        raise line.error(node, "region", message, "Remove some.")
    _continue(line, node, Draft(kind, line, _policy(line, node, kind)), drafts, name)
    return name


def _last_word(node: ast.expr) -> str:
    """Return "no_grad" for `torch.no_grad()`, `torch.no_grad` and `no_grad()`."""
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _policy(line: LogicalLine, node: ast.Call, kind: str) -> Policy:
    if CALLED[kind] == "group" and node.keywords:
        message = "A group takes a name and nothing else: it changes no number."
        raise line.error(node.keywords[0], "keyword", message, f'Write with {kind}("name"):')
    return read_policy(line, node)


def _continue(line: LogicalLine, node: ast.Call, head: Draft, drafts: Drafts, name: str) -> None:
    """Record the head of a new name, or check it against the first one.

    A later block of a name must have the same kind, and the same policy or none.
    """
    first = drafts.setdefault(name, head)
    if first.kind != head.kind:
        message = f"{name!r} is a {_KINDS[first.kind]} in line {first.line.number}."
        raise line.error(node.args[0], "region", message, "Use another name.")
    if node.keywords and not first.policy.says(head.policy):
        message = f"Region {name!r} has another policy in line {first.line.number}."
        raise line.error(node, "region", message, f'Only continue it here: with checkpoint("{name}"):')


def finish(
    drafts: Drafts, known: set[str], source: list[str], problems: list[Problem]
) -> tuple[tuple[Region, ...], tuple[Group, ...]]:
    """Build the regions and groups from their drafts.

    A saved name that is not in `known` becomes a problem, and so does a group without a line.
    """
    regions = {name: draft for name, draft in drafts.items() if draft.kind == CHECKPOINT}
    groups = {name: draft for name, draft in drafts.items() if draft.kind != CHECKPOINT}
    for draft in regions.values():
        for name in draft.policy.saved.keys() - known:
            message = f"{quoted(name)} is no node of the graph."
            hint = did_you_mean(name, known) or "Keep the name of a line, or give the step a name."
            problems.append(problem_at(source, draft.policy.saved[name], "unknown-name", message, hint))
    if not problems:
        problems.extend(_empty(groups.values()))
    return (
        tuple(
            Region(name, frozenset(draft.nodes), draft.policy.name, frozenset(draft.policy.saved))
            for name, draft in regions.items()
        ),
        tuple(Group(name, frozenset(draft.nodes), draft.kind == BRANCHES) for name, draft in groups.items()),
    )


def _empty(groups: Iterable[Draft]) -> Iterable[Problem]:
    for draft in groups:
        if not draft.nodes:
            hint = "Indent the lines that belong to it."
            error = draft.line.error(draft.line.whole(), "empty-group", "This group holds no node.", hint)
            yield from error.problems

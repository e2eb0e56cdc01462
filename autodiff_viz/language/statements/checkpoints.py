"""Read the policy in the head of a checkpoint block, `checkpoint("name", policy=..., names=...)`."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autodiff_viz.graph import limits
from autodiff_viz.graph.registries.policies import POLICIES, TAKING_NAMES
from autodiff_viz.graph.text.names import quoted
from autodiff_viz.language.source.caret import Span
from autodiff_viz.language.source.hints import did_you_mean
from autodiff_viz.language.source.scanner import LogicalLine

EXAMPLE = 'Write with checkpoint("name"): or with group("name"): and indent the lines inside it.'


@dataclass(slots=True)
class Policy:
    """The policy of a region that is being read.

    Attributes:
      name: of the policy.
      saved: names of the nodes to save, with their places in the text.
    """

    name: str = POLICIES[0]
    saved: dict[str, Span] = field(default_factory=dict)

    def says(self, other: Policy) -> bool:
        """Return whether both save the same."""
        return (self.name, self.saved.keys()) == (other.name, other.saved.keys())


def read_policy(line: LogicalLine, node: ast.Call) -> Policy:
    """Read the policy in a region's head.

    Raises:
      GraphError: a keyword, a policy or a name is invalid.
    """
    found, given = Policy(), {keyword.arg: keyword.value for keyword in node.keywords}
    for keyword in node.keywords:
        if keyword.arg not in ("policy", "names"):
            message = f"checkpoint has no {quoted(keyword.arg or '**')}."
            raise line.error(keyword, "keyword", message, "It takes a name, policy and names.")
    if "policy" in given:
        found.name = text_of(line, given["policy"])
        if found.name not in POLICIES:
            hint = did_you_mean(found.name, POLICIES) or f"The policies are {', '.join(POLICIES)}."
            message = f"There is no policy {quoted(found.name)}."
            raise line.error(given["policy"], "policy", message, hint)
    if "names" in given:
        if "policy" not in given:
            hint = f'Write policy="{TAKING_NAMES[0]}", names=(...).'
            raise line.error(given["names"], "policy", "Names are kept by one policy only.", hint)
        names = given["names"]
        parts = names.elts if isinstance(names, (ast.Tuple, ast.List)) else [names]
        found.saved = {text_of(line, part): line.span(part) for part in parts}
    elif found.name in TAKING_NAMES:
        message = f"The policy {found.name} needs the names of the nodes to keep."
        raise line.error(node, "policy", message, 'Add names=("a", "b").')
    return found


def text_of(line: LogicalLine, node: ast.expr) -> str:
    """Return the text of a string literal.

    Raises:
      GraphError: `node` is no string literal.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    word = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else "name"
    raise line.error(node, "region", "A name in quotes is needed here.", f'Write "{word[: limits.NAME]}".')

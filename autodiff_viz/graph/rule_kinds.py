"""Register the kinds of gradient rules; labels, icons, syntax and codec are made from the records.

The numerics of a kind stand in one table for each interpretation of a graph: `engine/live_path/node_steps.py`
(the live path), `engine/whole_program/program.py` (the whole program), `training/gates.py` (training) and
`export/rule_functions.py`.

Sources: https://docs.jax.dev/en/latest/notebooks/Custom_derivative_rules_for_Python_code.html for `rewrite`
and `pullback`; the straight-through estimator (Bengio et al., arXiv:1308.3432) is a `backward_as`, gradient
reversal (Ganin and Lempitsky, arXiv:1409.7495) a `scale` by a negative number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

FOLLOW, STOP, REWRITE, PULLBACK, BACKWARD_AS = "follow", "stop", "rewrite", "pullback", "backward_as"
SCALE = "scale"

ARRIVING, WIRES = "arriving", "wires"
"""What a rule's function returns: `ARRIVING`, the cotangent that replaces the arriving one and is then pulled
back; or `WIRES`, the cotangent for each wire, from the arriving one, the value on each wire and the node's
own value."""


@dataclass(frozen=True, slots=True)
class RuleKind:
    """One kind of gradient rule: all of it except its numerics.

    Attributes:
      name: key in documents, in edits, and in the tables of numerics.
      call, argument: in a formula, the function that gives a node such a rule, and its argument beside `x`.
      asks: label of the field on the canvas in which that argument is edited.
      label, action, does: name on a chip or in a figure, text of a button or an undo step, and predicate of a
        sentence about a node.
      says: sentence on what happens to the cotangent.
      example: formula with such a rule.
      aliases: names in other libraries, in lower case.
      icon: SVG path on a grid of 16 by 16.
      colour: "stop" for a rule that passes nothing, else "rule".
      key: keyboard shortcut on the canvas.
      equation: derivation of the passed cotangent, with <local>, <arriving>, <changed> and <passed> for
        numbers.
      function: what its function returns, `ARRIVING` or `WIRES`; "" if the kind has none.
      number: initial value of its number; None if the kind has none.
      alternative: whether the node has a last slot for the alternative that is differentiated in its place.
      since: first version of documents that has it.
    """

    name: str
    label: str
    action: str
    does: str
    says: str
    call: str = ""
    argument: str = ""
    asks: str = ""
    example: str = ""
    aliases: tuple[str, ...] = ()
    icon: str = ""
    colour: str = "rule"
    key: str = ""
    equation: str = "<local> × <arriving> = <passed>"
    function: str = ""
    number: float | None = None
    alternative: bool = False
    since: int = 1

    @property
    def replaces(self) -> bool:
        """Whether it replaces the op's own derivative, which only a wired node has.

        Other kinds change the arriving cotangent, so an input may have them too.
        """
        return self.function == WIRES or self.alternative


_KINDS = (
    RuleKind(
        name=FOLLOW,
        label="follow",
        action="Follow JAX",
        does="follows JAX",
        says="Follows JAX's own derivative.",
    ),
    RuleKind(
        name=STOP,
        label="stop",
        action="Stop gradient",
        does="passes no gradient",
        says="Stops: whatever arrives, nothing is passed on.",
        call="stop_gradient",
        example="stop_gradient(sin(x))",
        aliases=("detach", "no_grad", "without_derivative", "stop_grad"),
        icon="M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM5 8h6",
        colour="stop",
        key="s",
        equation="stopped: <local> × <arriving> → <passed>",
    ),
    RuleKind(
        name=REWRITE,
        label="rewrite",
        action="Rewrite cotangent",
        does="rewrites the arriving cotangent",
        says="Rewrites the cotangent that arrives, then follows JAX.",
        call="rewrite",
        argument="function",
        asks="What becomes of the cotangent",
        example="rewrite(sin(x), lambda v: 0.5 * v)",
        aliases=("with_derivative", "register_hook"),
        icon="M3 13l.7-3L10.8 2.9l2.3 2.3L6 12.3zM9.2 4.5l2.3 2.3",
        key="r",
        equation="<local> × (<arriving> → <changed>) = <passed>",
        function=ARRIVING,
    ),
    RuleKind(
        name=SCALE,
        label="scale",
        action="Scale gradient",
        does="scales the gradient",
        says="Multiplies the cotangent that arrives by a number, then follows JAX.",
        call="scale_gradient",
        argument="scale",
        asks="Scale of the gradient",
        example="scale_gradient(sin(x), 0.5)",
        aliases=("scale_grad", "grad_scale", "gradient_reversal"),
        icon="M3 13 13 3M8.5 3H13v4.5M3 8.5V13h4.5",
        key="x",
        equation="<local> × (<arriving> → <changed>) = <passed>",
        number=0.5,
        since=5,
    ),
    RuleKind(
        name=PULLBACK,
        label="pullback",
        action="Declare pullback",
        does="has a declared pullback",
        says="Passes what the declared pullback says.",
        call="custom",
        argument="pullback",
        asks="What is passed down the wires",
        example="custom(exp(x), pullback=lambda v, x, out: v * out)",
        aliases=("custom_vjp", "custom_jvp", "custom_gradient"),
        icon="M10.2 2.8C8.2 2.2 7.3 3.2 7 5L5.8 11.5c-.3 1.6-1.2 2.2-2.6 1.8M4.6 6.8h4.6M13 2.8l-.9 3",
        key="p",
        equation="declared: <arriving> → <passed>",
        function=WIRES,
    ),
    RuleKind(
        name=BACKWARD_AS,
        label="backward as",
        action="Go backward as another expression",
        does="goes backward as another expression",
        says="Runs forward as it is, and is differentiated as its alternative.",
        call="backward_as",
        argument="alternative",
        asks="Backward expression",
        example="backward_as(round(x), x)",
        aliases=("straight_through",),
        icon="M2 4.5h12M11.5 2 14 4.5 11.5 7M14 11.5h-1.5M10.5 11.5H9M7 11.5H2M4.5 9 2 11.5 4.5 14",
        key="b",
        equation="<arriving> → <passed>",
        alternative=True,
    ),
)

KINDS: dict[str, RuleKind] = {kind.name: kind for kind in _KINDS}
"""Records by name, in the order in which they are offered."""

RULE_KINDS = tuple(KINDS)
ON_INPUTS = tuple(kind.name for kind in _KINDS if not kind.replaces)
"""Kinds that an input may have too."""

Slot = TypeVar("Slot")


def passing(kind: str, slots: Sequence[Slot]) -> Sequence[Slot]:
    """Return the slots down which a node with such a rule may pass a cotangent."""
    return () if kind == STOP else slots[-1:] if kind == BACKWARD_AS else slots

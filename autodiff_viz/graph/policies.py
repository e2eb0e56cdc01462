"""The policies of checkpoint regions: one record each, from which the rest is made."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Policy:
    """What a region keeps of its forward run, for its backward pass.

    Attributes:
      name: in `jax.checkpoint_policies`, and in formulas and documents.
      keeps: in words, for a menu.
      mark: the same on the region's tab, where there is little room; "" for JAX's default.
      takes_names: it is made of the names of the nodes to keep, which the region has as `saved`.
      since: the first version of documents that knows it.
    """

    name: str
    keeps: str
    mark: str = ""
    takes_names: bool = False
    since: int = 1


_POLICIES = (
    Policy("nothing_saveable", "nothing: run everything again"),
    Policy("everything_saveable", "everything", mark="keeps everything"),
    Policy("dots_saveable", "products of matrices (dots)", mark="keeps dots"),
    Policy(
        "dots_with_no_batch_dims_saveable",
        "products of matrices, but not of batches of them",
        mark="keeps dots without batches",
        since=5,
    ),
    Policy("save_only_these_names", "the nodes chosen here", mark="keeps names", takes_names=True),
)

POLICY: dict[str, Policy] = {policy.name: policy for policy in _POLICIES}
"""By name, in the order in which they are offered."""

POLICIES = tuple(POLICY)
"""The names; the first is JAX's default."""

TAKING_NAMES = tuple(policy.name for policy in _POLICIES if policy.takes_names)
"""The names of those that are made of the names of nodes."""

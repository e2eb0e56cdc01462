"""Register the policies of checkpoint regions, one record each.

Source: https://docs.jax.dev/en/latest/gradient-checkpointing.html
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Policy:
    """A rematerialisation policy: which results of a region's forward pass are saved as residuals.

    Attributes:
      name: in `jax.checkpoint_policies`, and in formulas and documents.
      keeps: what it saves, in words, for a menu.
      mark: short form for the region's tab; "" for JAX's default.
      takes_names: whether it is built from the names of nodes to save, which the region has as `saved`.
      since: first version of documents that has it.
    """

    name: str
    keeps: str
    mark: str = ""
    takes_names: bool = False
    since: int = 1


_POLICIES = (
    Policy("nothing_saveable", "only what enters it"),
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
"""Records by name, in the order in which they are offered."""

POLICIES = tuple(POLICY)
"""Names; the first is JAX's default."""

TAKING_NAMES = tuple(policy.name for policy in _POLICIES if policy.takes_names)
"""Names of the policies that are built from names of nodes."""

"""Print the head of a block, `with checkpoint(...):` or `with group(...):`."""

from __future__ import annotations

from autodiff_viz.graph.model import Frame, Group, Region
from autodiff_viz.graph.registries.policies import POLICIES, TAKING_NAMES


def show_head(frame: Frame, begun: bool = False) -> str:
    """Write the head of a frame's block; only the first block of a region states its policy.

    `begun`: the frame has a block above.
    """
    if isinstance(frame, Group):
        return f'with {"branches" if frame.branches else "group"}("{frame.name}"):'
    return _region_head(frame, begun)


def _region_head(region: Region, begun: bool) -> str:
    parts = [f'"{region.name}"']
    if not begun and (region.policy != POLICIES[0] or region.saved):
        parts.append(f'policy="{region.policy}"')
    if not begun and (region.saved or region.policy in TAKING_NAMES):
        names = ", ".join(f'"{name}"' for name in sorted(region.saved))
        parts.append(f"names=({names}{',' if len(region.saved) == 1 else ''})")
    return f"with checkpoint({', '.join(parts)}):"

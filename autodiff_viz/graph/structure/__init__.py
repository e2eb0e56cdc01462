"""Derive what follows from a graph's wires and frames: order, blocks, groups, regions, branches, segments."""

"""Add or remove one of the parallel branches of a group.

Branches are ordinary nodes, not one body with a count k that is expanded when it runs. Each branch may have
its own weights, rules, regions, cuts and positions, and a node may be wired to one branch alone; a body
with a count would keep all of that in lists beside the body, every reader of nodes (edits, layout, link,
language, training) would need the expanded graph and its inverse, and links made before would still need
the nodes. So the count is known here alone: `resize` is all that the views call. What knows the names of
ops (which ops join branches, how their parameters count them) is in this folder, above `ops`; `graph` knows
only that a group has branches.
"""

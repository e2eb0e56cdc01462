"""Add or remove one of the parallel branches of a group.

Branches are ordinary nodes, not one body with a count k that is expanded when it runs. Each branch may have
its own weights, rules, regions, cuts and positions, and a node may be wired to one branch alone; a body
with a count would keep all of that in lists beside the body, every reader of nodes (edits, layout, link,
language, training) would need the expanded graph and its inverse, and links made before would still need
the nodes. So only this folder counts branches, and views call only `resize`. Code that names ops (which ops
join branches, how their parameters count branches) is in this folder, above `ops`; for `graph`, a group has
branches and no more.
"""

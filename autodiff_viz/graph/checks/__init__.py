"""Check graphs, their rules, and the arguments of public functions."""

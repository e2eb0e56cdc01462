"""Train a graph: optimisers, steps on the live path and compiled ones."""

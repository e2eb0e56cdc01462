"""Edit a formula text to match an edited graph, and parse an expression that is added to a graph."""

"""Read code of other libraries as a graph, without running it."""

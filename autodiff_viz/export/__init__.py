"""Export a graph as a JAX file that runs by itself."""

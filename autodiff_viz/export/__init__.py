"""Export of a graph to a JAX file that runs by itself."""

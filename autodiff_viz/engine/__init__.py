"""From a graph to its numbers: trace, whole program, training, segments, explanations, lints."""

"""Parse formula text to a graph, and print a graph as formula text."""

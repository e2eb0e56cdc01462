"""Print the parts of a graph as formula text: terms, lines and heads of blocks."""

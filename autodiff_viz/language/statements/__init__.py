"""Read statements: assignments, `with` blocks and the comment with positions."""

"""Read the language: statements, names, calls, and the values that names hold."""

"""Edit a formula text to match an edited graph, and read what is added to it."""

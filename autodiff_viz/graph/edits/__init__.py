"""Edit graphs: each edit returns a new graph; the history undoes it."""

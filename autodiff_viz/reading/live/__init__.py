"""Read live objects of a running program, whose source is found, as what the reader knows."""

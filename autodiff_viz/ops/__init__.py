"""Define the ops, one `Op` record each, by group."""

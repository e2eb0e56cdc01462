"""The catalog of ops: one `Op` record each, by group."""

"""Draw derivatives: sweeps of an input, declared rules, Jacobians and paths."""

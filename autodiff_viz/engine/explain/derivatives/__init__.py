"""Compute derivatives in other ways: tangents, Jacobians, paths, declared rules, draws of noise."""

"""Test graphs that are made of JAX functions."""

"""Lint a graph: find what is legal and rarely meant, with one finder per construct."""

"""Lints: what is legal and rarely meant in a graph, one finder per construct."""

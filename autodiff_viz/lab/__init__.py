"""Compute the data of the parts of the lab page other than canvas and selected node."""

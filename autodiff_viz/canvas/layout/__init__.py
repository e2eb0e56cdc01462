"""Lay out a graph automatically, by the steps of Sugiyama: layers, order, positions, routes."""

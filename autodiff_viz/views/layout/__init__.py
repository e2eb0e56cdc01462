"""Automatic layout by the steps of Sugiyama: layers, order, positions, routes."""

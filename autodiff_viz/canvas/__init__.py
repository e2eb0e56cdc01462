"""Draw a graph as data: cards, wires, groups and tables for sliders."""

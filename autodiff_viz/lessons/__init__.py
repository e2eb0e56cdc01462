"""Teach by lessons: text, graphs as formulas, and claims that must hold."""

"""Read expressions: calls, literals, subscripts, rules, as trees and then as nodes."""

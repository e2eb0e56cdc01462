"""List the products along paths that add up to the cotangent of a node."""

"""Show the gradient over a plane of two numbers, declared and true, and what descends along it."""

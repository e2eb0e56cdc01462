"""Show the lessons: list, claims and exercises."""

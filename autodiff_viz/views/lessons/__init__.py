"""Show the lessons: their list, their claims and their exercises."""

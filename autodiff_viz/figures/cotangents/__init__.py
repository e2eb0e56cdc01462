"""Draw values and cotangents: their sizes, their numbers, their spread and their precision."""

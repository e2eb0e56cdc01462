"""Draw values and cotangents: sizes, numbers, spread and precision."""

"""Find the numbers that leave the range of a dtype, and the loss scales that are safe."""

"""Keep what a tensor is beside its numbers: its memory, its views, its dtype."""

"""Draw what is live, kept and recomputed, and the checkpoint plans."""

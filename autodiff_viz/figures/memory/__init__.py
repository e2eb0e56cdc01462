"""Draw what is live, kept and computed again, and the checkpoint plans."""

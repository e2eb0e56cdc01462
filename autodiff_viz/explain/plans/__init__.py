"""Search for checkpoint plans, and model what each keeps, has live and recomputes."""

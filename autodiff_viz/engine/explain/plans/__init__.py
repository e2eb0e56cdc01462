"""Search for checkpoint plans, and model what each keeps, has live and computes again."""

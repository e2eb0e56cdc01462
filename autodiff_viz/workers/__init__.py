"""Run slow jobs in worker processes: pool, fork server, and cache on disk."""

"""Worker processes for slow jobs: pool, fork server, and cache on disk."""

"""Compare a declared derivative with the true one."""

"""Hold every name that the reader knows to what its library answers: see `functions.rows.txt`."""

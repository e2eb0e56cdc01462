"""Compare two graphs: their values, their cotangents and the first wire where these differ."""

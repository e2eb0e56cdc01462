"""Compare two graphs: values, cotangents and the first wire where the cotangents differ."""

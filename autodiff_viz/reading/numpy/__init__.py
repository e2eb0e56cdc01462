"""Read functions of arrays as JAX and NumPy have them, and changes of NumPy's arrays in place."""

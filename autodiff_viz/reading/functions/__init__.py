"""Read functions that several libraries have, and make nodes of them."""

"""Encode and decode the lab as text: address, stored history and documents."""

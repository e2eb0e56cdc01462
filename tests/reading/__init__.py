"""Test that code of other libraries is read as what it computes."""

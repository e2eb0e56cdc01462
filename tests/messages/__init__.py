"""Test the messages between browser and server."""

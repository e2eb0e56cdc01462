"""Declare the messages between browser and server, edits above all, as typed records."""

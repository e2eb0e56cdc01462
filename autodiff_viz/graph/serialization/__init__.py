"""Write graphs as JSON and links, and read them with full checks."""

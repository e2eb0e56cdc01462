"""Ask what a stop cuts, and where it belongs."""

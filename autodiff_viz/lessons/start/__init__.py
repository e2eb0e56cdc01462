"""Ask what all other questions build on."""

"""Ask what reaches which weight of a network."""

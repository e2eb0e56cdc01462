"""Ask what a loss sends back, and how far one step goes."""

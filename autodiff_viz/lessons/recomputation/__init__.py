"""Ask what is kept for the way back, and what runs again."""

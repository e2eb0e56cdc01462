"""Ask about programs that people wrote, with their own numbers."""

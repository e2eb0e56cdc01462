"""A timer in the browser that runs a fragment of the page again."""

"""Run a fragment of the page again, by a timer in the browser."""

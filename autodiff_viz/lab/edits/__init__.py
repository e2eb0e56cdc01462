"""Apply the browser's edits to the state of the lab, with one file for each kind."""

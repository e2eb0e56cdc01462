"""Show the lab live in a notebook: a widget whose kernel computes, with the page's own canvas."""

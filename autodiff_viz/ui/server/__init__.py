"""Serve the pages: admission, routes, heads of pages and link previews."""

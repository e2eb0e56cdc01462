"""Build the site: every lesson, document and docstring as static pages with live figures."""

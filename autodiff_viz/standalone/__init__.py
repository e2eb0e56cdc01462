"""Write graphs as figures that live without a server: one HTML file with the page's own canvas."""

"""Write and check names, numbers and literals; call Python's parser."""

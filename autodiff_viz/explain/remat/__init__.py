"""Show what a backward pass computes again and what it keeps."""

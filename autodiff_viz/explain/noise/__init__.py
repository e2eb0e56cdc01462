"""Show mean and variance of gradients over draws of noise."""

"""Where numbers are not finite, and where a derivative is not the slope."""

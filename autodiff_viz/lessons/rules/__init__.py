"""Ask about declared derivatives and gradients of gradients."""

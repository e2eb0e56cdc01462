"""Read what PyTorch has of its own: functions, modules, autograd, hooks, optimizers."""

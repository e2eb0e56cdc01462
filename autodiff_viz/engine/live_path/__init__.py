"""Run a prepared graph node by node, with one compiled op each."""

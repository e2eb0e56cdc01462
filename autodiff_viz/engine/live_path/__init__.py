"""The live path: a prepared graph is run node by node, with one compiled op each."""

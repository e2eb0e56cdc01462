"""Play the steps of a pass in their order."""

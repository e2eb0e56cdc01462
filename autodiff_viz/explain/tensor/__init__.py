"""Show a node's tensor and its cotangent as heat-maps."""

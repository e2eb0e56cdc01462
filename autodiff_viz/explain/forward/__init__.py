"""Push tangents forward beside the backward sweep."""

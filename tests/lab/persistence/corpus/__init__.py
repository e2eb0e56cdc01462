"""Keep links, documents, texts and stored histories as one version wrote them, for all later ones to open."""

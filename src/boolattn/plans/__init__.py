"""A plan over texts: how each candidate scores and why; or as a query of another engine. Needs no torch, no index."""

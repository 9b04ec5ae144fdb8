"""LanceDB as an index. Needs lancedb."""

"""A demonstration with a shipped corpus and precomputed vectors: ``boolattn demo``. Needs no torch."""

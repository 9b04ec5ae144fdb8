"""From token states, or from the vectors of texts, to one query vector."""

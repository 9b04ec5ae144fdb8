"""From a corpus to ranked hits: shards of vectors, an engine that holds them, a searcher that asks it."""

"""From a corpus to ranked hits: shards of vectors, an index that holds them, a searcher that asks it."""

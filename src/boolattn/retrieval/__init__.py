"""Corpus -> ranked hits: shards of vectors, an index that stores them, and a searcher."""

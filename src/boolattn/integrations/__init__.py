"""Searchers as retrievers for other frameworks, one file each."""

"""Searchers as the retrievers of other frameworks, one file each."""

"""Combine token states, or text vectors, into one query vector."""

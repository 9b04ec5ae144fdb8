"""Readings -> tensors, and the mechanism as a reader."""

"""Benchmarks, measures and reports."""

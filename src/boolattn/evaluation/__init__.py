"""Measures, benchmarks and what they cost."""

"""Benchmarks of cost: time, memory, growth, and the choice of settings."""

"""A study: several systems, trained with several seeds or not at all, on several benchmarks."""

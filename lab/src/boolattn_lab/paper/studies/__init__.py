"""Studies: several systems, trained with several seeds or untrained, on several benchmarks."""

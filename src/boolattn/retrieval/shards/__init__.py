"""Documents -> shards of vectors; resumable."""

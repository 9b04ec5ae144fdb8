"""From documents to shards of vectors; resumable."""

"""What a search that acts on *and* and *or* does to real queries that merely contain them."""

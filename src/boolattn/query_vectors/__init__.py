"""A Reading -> one vector, with any embedding function. Needs no torch."""

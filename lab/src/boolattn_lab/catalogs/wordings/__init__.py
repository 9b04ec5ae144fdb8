"""How people word Boolean queries, as data."""

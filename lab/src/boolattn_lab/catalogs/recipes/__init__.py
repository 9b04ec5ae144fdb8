"""Recipes as a catalog: which dish each is, what it contains and lacks, and queries with gold answers."""

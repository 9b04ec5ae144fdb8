"""Catalogs of films, packages, pages and phrases."""

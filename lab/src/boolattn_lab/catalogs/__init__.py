"""Labelled queries generated from catalogs, independent of any model."""

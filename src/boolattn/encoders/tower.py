"""Where model folders saved before 0.2 look for the query tower."""

from boolattn.encoders.query_tower import BooleanTower

__all__ = ["BooleanTower"]

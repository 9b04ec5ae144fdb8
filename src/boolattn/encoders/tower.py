"""The query tower's module path in model folders saved before 0.1.0."""

from boolattn.encoders.query_tower import BooleanTower

__all__ = ["BooleanTower"]

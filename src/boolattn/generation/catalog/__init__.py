"""Entities with attributes, and exact answers to Boolean expressions over them."""

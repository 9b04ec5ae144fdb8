"""Kill, fill and corrupt on purpose, and count what was lost, duplicated or wrong."""

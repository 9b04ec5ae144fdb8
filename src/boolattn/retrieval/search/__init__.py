"""Query -> ranked hits."""

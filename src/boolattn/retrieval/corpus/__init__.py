"""Files -> documents."""

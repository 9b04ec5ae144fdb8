"""The page at ``/``: search, and see what was read and what it changed."""

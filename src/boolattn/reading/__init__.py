"""Query text -> what it asks for and what it excludes. Needs no torch."""

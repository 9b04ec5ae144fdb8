"""How encoding, vectors and indexes grow with the number of documents, and what that means for a billion of them."""

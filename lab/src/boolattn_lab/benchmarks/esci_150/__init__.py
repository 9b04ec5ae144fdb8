"""ESCI-150 from end to end: plain vectors, signed vectors and whole searches, each with and without BM25."""

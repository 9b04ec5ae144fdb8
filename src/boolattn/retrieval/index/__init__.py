"""Indexes of documents and their vectors: LanceDB, Milvus and memory, behind one protocol."""

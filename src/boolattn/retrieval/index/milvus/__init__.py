"""Milvus as an index. Needs pymilvus."""

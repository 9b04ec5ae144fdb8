"""The service: query embeddings and search over HTTP. Needs the extra ``serve``."""

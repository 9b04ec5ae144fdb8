"""The mechanism inside Hugging Face and sentence-transformers models: attach, encode, save, load."""

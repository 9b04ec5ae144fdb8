"""BoolAttn inside a Hugging Face encoder: attach, detach, hooks."""

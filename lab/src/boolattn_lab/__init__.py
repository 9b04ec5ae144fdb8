"""What made boolattn's reader and adapters, and what measures them."""

"""The mechanism inside Hugging Face encoders."""

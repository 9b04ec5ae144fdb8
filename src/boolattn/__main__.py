"""``python -m boolattn``."""

from boolattn.cli import app

app()

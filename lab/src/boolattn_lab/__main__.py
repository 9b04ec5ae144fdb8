"""``python -m boolattn_lab``."""

from boolattn_lab.cli import app

app()

"""Small made-up files of the official shapes."""

from pathlib import Path

FIXTURES = Path(__file__).parent / "fixtures"

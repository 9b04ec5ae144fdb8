"""Importing the package or asking for help stays quick: torch loads only when something needs it."""

import subprocess
import sys

import pytest

import boolattn


@pytest.mark.parametrize("code", ["import boolattn", "from boolattn.cli import app; app(['--help'])"])
def test_torch_is_not_imported_without_need(code):
    script = f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nassert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_every_public_name_loads():
    for name in boolattn.__all__:
        assert getattr(boolattn, name).__name__ == name
    with pytest.raises(AttributeError, match="nonsense"):
        boolattn.nonsense  # noqa: B018

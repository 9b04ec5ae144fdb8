"""The README's first block prints what the README says."""

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_first_block_prints_what_it_says(minilm_folder):
    code, printed = re.findall(r"```(?:python)?\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[:2]
    name = '"sentence-transformers/all-MiniLM-L6-v2"'
    assert name in code
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code.replace(name, repr(str(minilm_folder))), {})
    assert output.getvalue() == printed

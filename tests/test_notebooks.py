"""The notebooks store what they print, and ``run.py --check`` notices when that changes.

Running them takes half a minute of one core, so it is a command of its own: python examples/notebooks/run.py --check
"""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

NOTEBOOKS = Path(__file__).parents[1] / "examples" / "notebooks"


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.name)
def test_all_cells_ran_in_order_without_an_error(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs and not any(output.output_type == "error" or output.get("name") == "stderr" for output in outputs)


def test_there_are_two():
    assert len(list(NOTEBOOKS.glob("*.ipynb"))) == 2


@pytest.mark.parametrize(("stored", "code"), [("4\n", 0), ("5\n", 1)])
def test_the_check_notices_other_output(tmp_path, stored, code):
    shutil.copy(NOTEBOOKS / "run.py", tmp_path)
    cell = new_code_cell("print(2 + 2)", outputs=[new_output("stream", name="stdout", text=stored)])
    nbformat.write(new_notebook(cells=[cell]), tmp_path / "sum.ipynb")
    done = subprocess.run([sys.executable, str(tmp_path / "run.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert ("differs" in done.stdout) == bool(code)

"""Run the notebooks from top to bottom and store what they print: python examples/notebooks/run.py [--check].

``--check`` writes nothing, and fails if a notebook no longer prints what it stores. Needs nbclient and ipykernel.
"""

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def main() -> int:
    """Run all notebooks; return 1 if one prints something else than it stores."""
    check, differ = "--check" in sys.argv[1:], []
    for path in sorted(HERE.glob("*.ipynb")):
        stored = nbformat.read(path, as_version=4)
        shown = printed(stored)
        NotebookClient(stored, timeout=300, resources={"metadata": {"path": str(HERE)}}).execute()
        _forget_times(stored)
        if not check:
            nbformat.write(stored, path)
        elif printed(stored) != shown:
            differ.append(path.name)
        print(path.name, "differs" if path.name in differ else "ok")
    return int(bool(differ))


def printed(notebook: Any) -> list[str]:
    """Return the standard output of each code cell."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return ["".join(each.text for each in cell.outputs if each.get("name") == "stdout") for cell in cells]


def _forget_times(notebook: Any) -> None:
    """Drop what differs from run to run: when cells ran, and messages of libraries."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr" and not _is_widget(each)]


def _is_widget(output: Any) -> bool:
    return any("widget" in kind for kind in output.get("data", {}))


if __name__ == "__main__":
    sys.exit(main())

"""No two files of the package import each other, directly or through others."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"


def modules() -> dict[str, Path]:
    found = {}
    for path in (SOURCE / "boolattn").rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path) -> Iterator[str]:
    """Yield what a file imports anywhere: at the top, inside functions, for types only."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, f"{path}: write absolute imports"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def module_of(name: str, known: dict[str, Path]) -> str | None:
    """Return the module of an imported name: ``boolattn.a.b`` is a module itself, or a name in ``boolattn.a``."""
    return next((each for each in (name, name.rpartition(".")[0]) if each in known), None)


def test_there_is_no_import_cycle():
    known = modules()
    graph = {}
    for module, path in known.items():
        found = {module_of(name, known) for name in imports(path)}
        graph[module] = found - {module, None}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"an import cycle: {' -> '.join(reversed(error.args[1]))}") from error

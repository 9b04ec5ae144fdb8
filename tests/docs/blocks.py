"""The code blocks of a page, and running those that show output.

Blocks are written as ``python`` or ``bash``, and what they print as ``text``, right after them. All Python blocks of a
page share one namespace. A comment before a block says if it does not run with its page: ``<!-- not run: why -->``, or
``<!-- run by: tests/... -->``. In output, ``...`` alone on a line stands for any lines.
"""

import contextlib
import io
import re
import shlex
from dataclasses import dataclass
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path

from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "weights/english/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
_BLOCK = re.compile(
    r"(?:^ *<!-- (?P<mark>(?:not run|run by): .+?) -->\n)?"
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<code>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A block of a page: its language, its text, how it is marked, and the output shown after it, if any."""

    language: str
    code: str
    mark: str
    output: str | None


def blocks_of(page: Path) -> list[Block]:
    """Return the Python and shell blocks of a page, each with the output shown after it."""
    text, found, outputs = page.read_text(encoding="utf-8"), [], 0
    matches = list(_BLOCK.finditer(text))
    for match, following in pairwise([*matches, None]):
        outputs += match["language"] == "text"
        if match["language"] not in ("python", "bash"):
            continue
        adjacent = following is not None and not text[match.end() : following.start()].strip()
        assert not adjacent or following["language"], f"{page.name}: mark output as text:\n{following['code']}"
        shown = adjacent and following["language"] == "text"
        output = _dedent(following) if shown else None
        found.append(Block(match["language"], _dedent(match), match["mark"] or "", output))
    assert outputs == sum(block.output is not None for block in found), f"{page.name}: output that follows no code"
    return found


def name_of(page: Path) -> str:
    """Return a page's path in the repository."""
    return page.relative_to(ROOT).as_posix()


def to_run(page: Path) -> list[Block]:
    """Return the blocks of a page that run: of the README all, else those up to the last one that shows output."""
    unmarked = [block for block in blocks_of(page) if not block.mark]
    if page == ROOT / "README.md":
        return unmarked
    showing = [place for place, block in enumerate(unmarked) if block.output is not None]
    return unmarked[: showing[-1] + 1] if showing else []


def run_page(page: Path, names: dict[str, object] | None = None) -> None:
    """Run a page's blocks in the current folder, and compare what they print."""
    names = {} if names is None else names
    for block in to_run(page):
        printed = run_python(block.code, names) if block.language == "python" else _run_commands(block.code)
        if block.output is not None:
            require_shown(block.output, printed)


def run_python(code: str, names: dict[str, object]) -> str:
    """Run code and return what it prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, names)
    return output.getvalue()


def require_shown(shown: str, printed: str) -> None:
    """Raise unless the lines shown were printed, in that order, with gaps only at ``...``."""
    actual = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
    lines = [line.rstrip() for line in shown.strip("\n").splitlines()]
    pattern = "".join(r"(?:.*\n)*" if line == "..." else rf"{re.escape(line)}\n" for line in lines)
    assert re.fullmatch(pattern, actual), f"shown:\n{shown}\nprinted:\n{actual}"


def _run_commands(commands: str) -> str:
    """Run commands of ``boolattn`` and ``boolattn-lab``, and return what the last one prints."""
    environment = {"COLUMNS": "80", "TERM": "dumb"}
    for command in commands.strip().splitlines():
        program, *arguments = shlex.split(command, comments=True)
        assert program in ("boolattn", "boolattn-lab"), f"cannot run {command!r}"
        (script,) = entry_points(group="console_scripts", name=program)
        result = CliRunner().invoke(script.load(), arguments, env=environment)
        assert result.exit_code == 0, result.output
    return result.stdout


def _dedent(match: re.Match[str]) -> str:
    return re.sub(rf"^{match['indent']}", "", match["code"], flags=re.MULTILINE)

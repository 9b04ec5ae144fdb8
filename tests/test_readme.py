"""What the README shows is what one gets."""

import contextlib
import io
import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from boolattn.cli import app

README = Path(__file__).parents[1] / "README.md"


def test_the_first_block_prints_what_it_says(minilm_folder):
    code, printed = re.findall(r"```(?:python)?\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[:2]
    name = '"sentence-transformers/all-MiniLM-L6-v2"'
    assert name in code
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code.replace(name, repr(str(minilm_folder))), {})
    assert output.getvalue() == printed


def test_the_commands_find_the_films_they_show(minilm_folder, tmp_path, monkeypatch):
    section = README.read_text(encoding="utf-8").split("## Search with it")[1].split("\n## ")[0]
    commands, shown = (block.strip() for block in section.split("```")[1::2])
    (tmp_path / "examples").symlink_to(README.parent / "examples")
    monkeypatch.chdir(tmp_path)
    environment = {"BOOLATTN_BACKBONE": str(minilm_folder), "COLUMNS": "80"}
    for command in commands.splitlines():
        arguments = shlex.split(command.replace("sentence-transformers/all-MiniLM-L6-v2", str(minilm_folder)))
        result = CliRunner().invoke(app, arguments[1:], env=environment)
        assert result.exit_code == 0, result.output
    printed = [line.rstrip() for line in result.stdout.splitlines()]
    for line in shown.splitlines()[:-1]:
        assert line.strip() in " \n".join(each.strip() for each in printed), line

"""What all commands have in common."""

import errno

import pytest
from typer.testing import CliRunner

from boolattn.cli import app
from boolattn.retrieval.index import open_index as opening


def test_a_closed_pipe_is_not_a_usage_error(monkeypatch):
    def write(*args, **kwargs):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(opening, "open_index", write)
    result = CliRunner().invoke(app, ["drop", "--index", "lance://nothing"])
    assert (result.exit_code, result.output) == (1, "")


def test_any_other_file_error_is_reported(tmp_path):
    result = CliRunner().invoke(app, ["encode", str(tmp_path / "none.jsonl"), "--model", "m", "--out", str(tmp_path)])
    assert result.exit_code == 2 and "Invalid value" in result.output


@pytest.mark.parametrize("arguments", [["films", "--json"], ["reader", "--data", "x"], ["--help"], []], ids=" ".join)
@pytest.mark.parametrize("command", ["evaluate", "train"])
def test_a_command_of_the_laboratory_names_its_package_in_one_line(command, arguments):
    result = CliRunner().invoke(app, [command, *arguments], env={"COLUMNS": "40"})
    assert (result.exit_code, result.stdout) == (2, "")
    [line] = result.stderr.splitlines()
    assert line.endswith(f"pip install ./lab, then boolattn-lab {command}")


def test_an_unknown_command_is_refused():
    result = CliRunner().invoke(app, ["seek"])
    assert result.exit_code == 2 and "No such command 'seek'" in result.output

"""What all commands of the laboratory have in common."""

import errno

import pytest
from typer.testing import CliRunner

from boolattn_lab.benchmarks import model_parts as loading
from boolattn_lab.benchmarks.sets import generated
from boolattn_lab.cli import app
from boolattn_lab.paper.studies import plan


@pytest.mark.parametrize(
    ("owner", "function", "arguments"),
    [
        (plan, "load_study", ["study-table", "study.toml", "--out", "out"]),
        (loading, "load_boolean", ["ship", "model", "out", "--made-with", "backbone"]),
        (generated, "exclusion_validation", ["bench", "training-free", "--model", "model", "--data", "data"]),
    ],
)
def test_a_closed_pipe_is_not_a_usage_error(owner, function, arguments, monkeypatch):
    def write(*args, **kwargs):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(owner, function, write)
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, result.output) == (1, "")


def test_any_other_file_error_is_reported(tmp_path):
    result = CliRunner().invoke(app, ["study-table", str(tmp_path / "none.toml"), "--out", str(tmp_path)])
    assert result.exit_code == 2 and "Invalid value" in result.output

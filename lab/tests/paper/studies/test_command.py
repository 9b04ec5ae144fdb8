import pytest
from typer.testing import CliRunner

from boolattn_lab.cli import app


def _call(*arguments, columns=120):
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": str(columns)})


def test_a_study_is_run_and_shown(study, data, tmp_path):
    only = ["--only", "rules", "--only", "bare"]
    done = _call("study", study, "--data", data.path, "--out", tmp_path, *only)
    assert done.exit_code == 0, done.output
    assert "run 2 of 2: bare" in done.output and "bare: evaluating films" in done.output
    picture = tmp_path / "picture.png"
    shown = _call("study-table", study, "--out", tmp_path, "--markdown", "--against", "bare", "--plot", picture)
    assert shown.exit_code == 0, shown.output
    assert r"| meaning: \_ that are not \_ | bare |" in shown.output and "**quest-gate**" in shown.output
    assert picture.exists()
    assert "quest-gate" in _call("study-table", study, "--out", tmp_path).output


def test_progress_is_shown_in_full_on_a_narrow_screen(study, data, tmp_path):
    done = _call("study", study, "--data", data.path, "--out", tmp_path, "--only", "bare", columns=20)
    assert "bare: evaluating films\n" in done.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["study", "STUDY", "--data", "nowhere", "--out", "OUT", "--only", "bear"], "no system 'bear'"),
        (["study", "no-such.toml", "--data", "nowhere", "--out", "OUT"], "no-such.toml"),
        (["study-table", "STUDY", "--out", "OUT"], "run boolattn-lab study first"),
    ],
)
def test_what_cannot_be_run_is_reported_without_a_traceback(study, tmp_path, arguments, says):
    places = {"STUDY": study, "OUT": tmp_path / "out"}
    done = _call(*(places.get(each, each) for each in arguments))
    assert done.exit_code == 2 and says in " ".join(done.output.replace("│", " ").split())

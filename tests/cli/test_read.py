"""``boolattn read``: what a query excludes, without a model."""

import json

from typer.testing import CliRunner

from boolattn.cli import app


def run(*arguments, **more):
    done = CliRunner().invoke(app, ["read", *arguments], **more)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_it_says_what_is_applied_and_what_is_not():
    assert 'excludes "war": a topic, ' in run("movies set in Vietnam but not about war")
    told = run("films that are not comedies")
    assert "  plan: films that are not comedies" in told and 'Not applied: "comedies": seen at' in told
    assert "  plan: films NOT comedies" in run("films that are not comedies", "--documents", "things")
    assert "no exclusion was seen" in run("weather in Hanoi")
    told = run("films without war")
    assert 'the reader takes "without" for part of what is asked' in told and "no exclusion was seen" not in told


def test_words_that_are_not_in_the_query_can_be_excluded():
    told = run("pasta", "--exclude", "cheese", "--exclude", "blue cheese: mild")
    assert '  excludes "cheese": a topic, 1.00' in told and 'excludes "blue cheese: mild"' in told
    [row] = [json.loads(line) for line in run("pasta", "--exclude", "cheese", "--json").splitlines()]
    assert row["reading"]["exclusions"][0]["span"] is None and row["plan"]["plan"] == "pasta NOT cheese"


def test_many_queries_come_from_a_file_or_from_standard_input(tmp_path):
    text = "movies about Vietnam, not war\n\nweather in Hanoi\n"
    (tmp_path / "queries.txt").write_text(text)
    from_file = run("--file", str(tmp_path / "queries.txt"), "--json")
    assert from_file == run("-", "--json", input=text)
    rows = [json.loads(line) for line in from_file.splitlines()]
    assert [row["plan"]["plan"] for row in rows] == ["movies about Vietnam NOT war", "weather in Hanoi"]
    assert [row["reading"]["exclusions"][0]["applied"] for row in rows[:1]] == [True]
    assert [row["reading"]["remarks"] for row in rows] == [[], []]


def test_mistakes_are_named(tmp_path):
    for arguments, message in (
        ([], "give one query"),
        (["a", "--file", "b"], "give one query"),
        (["films", "--exclude", ""], "exclude contains an empty text"),
        (["films", "--reader", "nobody"], "no reader 'nobody'"),
    ):
        done = CliRunner().invoke(app, ["read", *arguments], env={"COLUMNS": "200"})
        assert done.exit_code == 2 and message in done.output, done.output


def test_a_query_cannot_control_the_terminal():
    assert "\x1b" not in run("films\x1b[2J not war")

import json

import pytest
from typer.testing import CliRunner

from boolattn.cli import app

QUERY = "movies set in Vietnam but not about war"


@pytest.fixture
def explain(minilm_folder):
    def run(*arguments, model=f"training-free:{minilm_folder}"):
        return CliRunner().invoke(app, ["explain", "--model", model, *arguments], env={"COLUMNS": "100"})

    return run


def test_prints_the_reading_and_its_source(explain):
    printed = explain(QUERY).output
    assert "[-war-]" in printed and "Predicted by the learned reader" in printed
    assert "nothing here was learned" in explain(QUERY, "--reader", "rules").output


def test_json_has_the_plan_and_the_numbers(explain):
    found = json.loads(explain(QUERY, "--json").stdout)
    assert found["plan"]["plan"] == "movies set in Vietnam NOT war"
    assert min(found["readout"]) == pytest.approx(-0.3, abs=1e-4) and sum(w for w in found["readout"] if w > 0) == (
        pytest.approx(1)
    )
    assert len(found["attention_after"]) == 6


def test_writes_a_page(explain, tmp_path):
    page = tmp_path / "it.html"
    assert explain(QUERY, "--html", str(page)).exit_code == 0
    assert "war" in page.read_text(encoding="utf-8")


def test_a_query_without_operators_is_reported_as_unchanged(explain):
    assert "Nothing was changed" in " ".join(explain("war films").output.split())


def test_a_plain_model_has_a_reading_but_no_attention(explain, minilm_folder):
    plain = explain(QUERY, model=str(minilm_folder))
    assert plain.exit_code == 0 and "[-war-]" in plain.output and "attention" not in plain.output


def test_a_missing_model_is_refused(explain, tmp_path):
    missing = explain(QUERY, model=str(tmp_path / "nothing"))
    assert missing.exit_code == 2 and "cannot load" in " ".join(missing.output.split())


def test_exclusions_that_are_not_acted_on_are_reported(explain):
    query = "films that are not comedies"
    left_alone = " ".join(explain(query, "--reader", "rules").output.split())
    assert 'Not applied: "comedies": a property' in left_alone and "Reader: rules 1" in left_alone
    assert "[-comedies-]" in explain(query, "--reader", "rules", "--documents", "things").output
    found = json.loads(explain(QUERY, "--no-act", "--json").stdout)
    assert found["reading"]["exclusions"][0]["text"] == "war" and " NOT " not in found["plan"]["plan"]


def test_the_caller_may_name_exclusions_or_use_syntax(explain):
    assert "[-Vietnam-]" in explain(QUERY, "--exclude", "Vietnam").output
    assert "[-war-]" in explain("--syntax", "--", "films -war").output
    assert "- love" in explain(QUERY, "--exclude", "love").output
    mistake = explain(QUERY, "--exclude", " ")
    assert mistake.exit_code == 2 and "an empty text" in " ".join(mistake.output.split())
    assert explain(QUERY, "--reader", "clever").exit_code == 2

"""From a file of films to answers, by commands alone, with the real model and a real index."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boolattn.cli import app

FILMS = [
    ("Platoon", 1986, "Soldiers fight the war in the jungle of Vietnam."),
    ("Coming Home", 1978, "A veteran of the Vietnam war comes home."),
    ("Bridge", 1969, "Pilots bomb a bridge in Vietnam during the war."),
    ("Kitchen", 2004, "A cooking show travels through Vietnam."),
    ("Hanoi", 2011, "A love story in the streets of Hanoi, in Vietnam."),
    ("River", 1995, "Two sisters grow up on a river in Vietnam."),
    ("Trench", 1930, "Soldiers wait for the end of the war in a trench in France."),
    ("Abilene", 1948, "A cowboy drives cattle \x1b[31mto Abilene."),
]
QUERY = "films set in Vietnam but not about war"


@pytest.fixture(scope="module")
def run():
    def call(*arguments, code=0):
        result = CliRunner().invoke(app, [str(each) for each in arguments], env={"COLUMNS": "200"})
        assert result.exit_code == code, result.output
        return result.output if code else result.stdout

    return call


@pytest.fixture(scope="module")
def uri(tmp_path_factory, run, minilm_folder):
    folder = tmp_path_factory.mktemp("films")
    rows = [{"_id": title, "title": title, "year": year, "text": text} for title, year, text in FILMS]
    (folder / "films.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("encode", folder / "films.jsonl", "--model", minilm_folder, "--out", folder / "vectors")
    run("index", folder / "vectors", "--index", f"lance://{folder}/index/films")
    return f"lance://{folder}/index/films"


def test_unwanted_documents_rank_last_with_reasons(run, uri):
    found = json.loads(run("search", QUERY, "--index", uri, "-k", 6, "--json"))
    assert "NOT" in found["plan"]["plan"]
    titles = [hit["title"] for hit in found["hits"]]
    assert set(titles[:3]) == {"Kitchen", "Hanoi", "River"}
    platoon = found["hits"][titles.index("Platoon")]
    [lowered] = [atom for atom in platoon["atoms"] if atom["sign"] == -1]
    assert lowered["effect"] < 0 and "war" in lowered["text"]
    said = run("search", QUERY, "--index", uri, "-k", 6)
    assert "war -" in said and "- " in said.splitlines()[0]


def test_the_plain_answer_is_shown_side_by_side(run, uri):
    found = json.loads(run("search", QUERY, "--index", uri, "-k", 3, "--plain", "--json"))
    plain = {hit["title"] for hit in found["plain"]}
    assert plain & {"Platoon", "Coming Home", "Bridge"}
    said = run("search", QUERY, "--index", uri, "-k", 3, "--plain")
    assert "found only by the plain search" in said
    assert any(f"- {title}" in said for title in plain)


def test_conditions_and_stages(run, uri):
    found = json.loads(run("search", QUERY, "--index", uri, "--where", "year>=2000", "--hybrid", "--json"))
    assert {hit["title"] for hit in found["hits"]} == {"Kitchen", "Hanoi"}
    bare = json.loads(run("search", QUERY, "--index", uri, "--no-verify", "-k", 2, "--json"))
    assert len(bare["hits"]) == 2 and not bare["hits"][0]["atoms"]


def test_no_document_controls_the_terminal(run, uri):
    assert "\x1b[31m" not in run("search", "a cowboy and his cattle", "--index", uri, "-k", 1)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--where", "colour=red"), "no field 'colour'.*year"),
        (("--where", "year=red"), "'year' is of type integer"),
        (("--where", "year"), "is not a filter"),
        (("--model", "nowhere"), "cannot load 'nowhere'"),
        (("--index", "redis://x"), "redis"),
    ],
)
def test_mistakes_are_named(run, uri, arguments, says):
    said = " ".join(run("search", QUERY, "--index", uri, *arguments, code=2).replace("│", " ").split())
    assert re.search(says, said), said


def test_json_names_the_reader_and_what_it_read(run, uri):
    found = json.loads(run("search", QUERY, "--index", uri, "--reader", "rules", "-k", 2, "--json"))
    assert found["reading"]["reader"] == found["plan"]["reader"] == found["hits"][0]["reader"] == "rules 1"
    assert [each["text"] for each in found["reading"]["exclusions"]] == ["war"]


def test_without_acting_the_plain_hits_are_returned_and_the_reading_is_reported(run, uri):
    stages = ("-k", 4, "--plain", "--json")
    found = json.loads(run("search", QUERY, "--index", uri, "--reader", "rules", "--no-act", *stages))
    assert [(hit["title"], hit["score"]) for hit in found["hits"]] == [
        (hit["title"], hit["score"]) for hit in found["plain"]
    ]
    assert found["reading"]["exclusions"] and "NOT" not in found["plan"]["plan"]
    acting = json.loads(run("search", QUERY, "--index", uri, "--reader", "rules", *stages))
    assert [hit["title"] for hit in acting["hits"]] != [hit["title"] for hit in acting["plain"]]


def test_an_index_or_a_search_declares_what_documents_are(run, uri, tmp_path):
    query = "films set in Vietnam that are not war films"
    folder = Path(uri.removeprefix("lance://")).parents[1]
    run("index", folder / "vectors", "--index", f"lance://{tmp_path}/things", "--documents", "things")

    def excluded(index, *more):
        found = json.loads(run("search", query, "--index", index, "--reader", "rules", *more, "--json"))
        return " NOT " in found["plan"]["plan"]

    assert not excluded(uri) and excluded(uri, "--documents", "things")
    assert excluded(f"lance://{tmp_path}/things") and not excluded(f"lance://{tmp_path}/things", "--documents", "pages")
    run("index", folder / "vectors", "--index", f"lance://{tmp_path}/things")  # again, saying nothing
    assert excluded(f"lance://{tmp_path}/things")
    run("index", folder / "vectors", "--index", f"lance://{tmp_path}/things", "--documents", "pages")
    assert not excluded(f"lance://{tmp_path}/things")


def test_a_search_can_be_given_exclusions(run, uri):
    found = json.loads(run("search", "films set in Vietnam, war", "--index", uri, "--exclude", "war", "--json"))
    assert found["plan"]["source"] == "caller" and "NOT war" in found["plan"]["plan"]
    assert "NOT war" in json.loads(run("search", "Vietnam -war", "--index", uri, "--syntax", "--json"))["plan"]["plan"]

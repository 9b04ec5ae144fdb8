"""boolattn search and boolattn explain: one query, read once, by the same options."""

import inspect
import json

import pytest
from typer.testing import CliRunner

from boolattn.cli import app
from boolattn.cli.options import QueryOptions
from boolattn.cli.querying import explain, search
from boolattn.reading.learned import LearnedReader
from boolattn.reading.syntax import SyntaxReader
from boolattn.retrieval.search.searcher import MOST_HITS
from boolattn.service.settings import ServiceSettings
from tests.backbones.small import backbone
from tests.retrieval.search.vietnam import FILMS, QUERY


@pytest.fixture(scope="module")
def model(tmp_path_factory, minilm_folder):
    return backbone(tmp_path_factory.mktemp("model"), minilm_folder)


@pytest.fixture(scope="module")
def index(tmp_path_factory, model):
    folder = tmp_path_factory.mktemp("films")
    rows = [{"_id": name, "text": text} for name, text in FILMS.items()]
    (folder / "films.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    uri = f"lance://{folder}/index"
    run("encode", folder / "films.jsonl", "--model", model, "--out", folder / "vectors")
    run("index", folder / "vectors", "--index", uri)
    return uri


def run(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def reads(monkeypatch):
    """What each reader reads, call by call."""
    calls = {LearnedReader: [], SyntaxReader: []}
    for reader in calls:

        def read(self, queries, reader=reader, original=reader.read):
            calls[reader].append(list(queries))
            return original(self, queries)

        monkeypatch.setattr(reader, "read", read)
    return calls


@pytest.mark.parametrize("form", ["--json", "--plain"])
@pytest.mark.parametrize("prefix", ["training-free:", ""], ids=["Boolean", "plain"])
def test_a_search_reads_its_query_once(prefix, form, model, index, reads):
    run("search", QUERY, "--index", index, "--model", f"{prefix}{model}", form)
    assert reads == {LearnedReader: [[QUERY]], SyntaxReader: [[QUERY]]}


@pytest.mark.parametrize("prefix", ["training-free:", ""], ids=["Boolean", "plain"])
def test_words_that_are_not_in_the_query_can_be_excluded(prefix, model, index):
    how = ["--model", f"{prefix}{model}", "--exclude", "war", "--exclude", "love story"]
    found = json.loads(run("search", "set in Vietnam", "--index", index, *how, "--json"))
    assert found["plan"]["plan"] == "set in Vietnam NOT war NOT love story"
    assert [atom["text"] for atom in found["hits"][0]["atoms"]] == ["set in Vietnam", "war", "love story"]
    assert "- love story" in run("search", "set in Vietnam", "--index", index, *how)
    assert 'Excludes "love story", which is not in the query.' in run("explain", "set in Vietnam", *how)


def test_a_search_says_how_to_declare_what_documents_are(model, index):
    call = ["search", QUERY, "--index", index, "--model", model, "--json"]
    assert f"boolattn index DIR --index {index} --documents things" in CliRunner().invoke(app, call).stderr
    assert "note:" not in CliRunner().invoke(app, [*call, "--documents", "pages"]).stderr


def test_an_explanation_reads_its_query_once(model, reads):
    run("explain", QUERY, "--model", f"training-free:{model}", "--json")
    assert reads == {LearnedReader: [[QUERY]], SyntaxReader: [[QUERY]]}


def test_both_commands_have_the_same_options_and_defaults():
    shared = inspect.signature(QueryOptions).parameters
    for command in (search, explain):
        parameters = inspect.signature(command).parameters
        assert {name: parameters[name].default for name in shared} == {name: shared[name].default for name in shared}
    assert shared["model"].default == ServiceSettings().model


def test_a_search_takes_as_many_hits_as_a_searcher(model, index):
    call = ["search", QUERY, "--index", index, "--model", model, "-k"]
    run(*call, MOST_HITS)
    refused = CliRunner().invoke(app, [*call, str(MOST_HITS + 1)], env={"COLUMNS": "200"})
    assert refused.exit_code == 2 and str(MOST_HITS) in refused.output


def test_why_nothing_is_excluded_goes_to_standard_error_and_into_the_json(model, index):
    asked = ["search", "why is there no river", "--index", index, "--model", str(model)]
    printed = CliRunner().invoke(app, asked)
    [told] = json.loads(run(*asked, "--json"))["reading"]["remarks"]
    assert told.startswith('Nothing is excluded: the reader takes "no"') and told in printed.stderr

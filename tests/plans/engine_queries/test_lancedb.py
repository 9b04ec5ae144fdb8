"""Filters run in LanceDB itself."""

import lancedb
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from boolattn.plans.engine_queries import to_lancedb
from boolattn.reading.plan import BooleanPlan, QueryAtom
from boolattn.reading.syntax import parse
from tests.plans.engine_queries.kitchen import BOTH, DOCUMENTS, KEPT
from tests.reading.syntax_trees import brute_force, condition_of_tree, trees


@pytest.fixture(scope="module")
def connection(tmp_path_factory):
    return lancedb.connect(tmp_path_factory.mktemp("lance"))


@pytest.fixture(scope="module")
def table(connection):
    rows = [{"id": name, "the text": text, "vector": [1.0, 0.0]} for name, text in DOCUMENTS.items()]
    return connection.create_table("kitchen", rows)


def found(table, where) -> set[str]:
    return {row["id"] for row in table.search([1.0, 0.0]).where(where, prefilter=True).limit(100).to_list()}


@pytest.mark.parametrize(("text", "dropped"), KEPT)
def test_what_is_excluded_is_dropped_and_nothing_else(table, text, dropped):
    assert found(table, to_lancedb(parse(text), "the text")) == set(DOCUMENTS) - dropped


@pytest.mark.parametrize(("text", "kept"), BOTH)
def test_what_is_wanted_can_be_required(table, text, kept):
    assert found(table, to_lancedb(parse(text), "the text", wanted=True)) == kept


def test_the_sql():
    assert to_lancedb(parse("soup NOT blue-cheese"), "text") == (
        r"NOT (coalesce(regexp_like(`text`, '(?i)\bblue[\s-]+cheese\b|\bblue[\s-]+cheeses\b'), false))"
    )
    assert to_lancedb(parse("soup"), "text") == "true"


WORDS = ("war", "dramas", "C++", "it's", "sci-fi", "a.b", "(x)", "100%", "naïve")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees(WORDS, depth=3), st.lists(st.sets(st.sampled_from(WORDS)), min_size=1, max_size=8))
def test_lancedb_finds_what_the_plan_wants(connection, tree, everyone):
    rows = [{"id": number, "text": " / ".join(words), "vector": [1.0, 0.0]} for number, words in enumerate(everyone)]
    table = connection.create_table("drawn", rows, mode="overwrite")
    plan = BooleanPlan("", condition_of_tree(tree), 1.0, "caller", "caller")
    assert found(table, to_lancedb(plan, "text", wanted=True)) == brute_force(tree, everyone)


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=1).map(str.strip).filter(bool))
@example("' OR true OR text = '")
@example("\\' OR true --")
@example("[a-z]* (x){9,} \\b \\E $1 ` ; --")
@example("a\0b")
@example("---")
def test_every_text_is_a_text_and_no_sql_or_pattern(table, text):
    for sign in (1, -1):
        plan = BooleanPlan(text, QueryAtom(text, None, sign), 1.0, "caller", "caller")
        kept = found(table, to_lancedb(plan, "the text", wanted=True))
        # whatever one character finds as a word of these documents, nothing finds most of them
        assert len(kept) < 5 if sign == 1 else len(kept) > 5

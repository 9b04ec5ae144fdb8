import json
import os
from pathlib import Path

import pytest

from boolattn.reading.rules.negations import negations


def excluded(text: str) -> list[str]:
    return [negation.scope.of(text) for negation in negations(text) if negation.excludes]


@pytest.mark.parametrize(
    ("text", "scopes"),
    [
        ("Aaron's profile, but don't mention Moses.", ["Moses"]),
        ("Discuss Austen, but do not mention Emma.", ["Emma"]),
        ("Which mammals do not live on land?", ["live on land"]),
        ("films that aren\u2019t about war that are set in 1917", ["war"]),
        ("crustaceans of Ohio not freshwater", ["freshwater"]),
        ("trees of Ohio that can't be found in Canada", ["Canada"]),
        ("novels (not by King) about clowns", ["King"]),
        ("cakes with no eggs", ["eggs"]),
        ("cakes that contain neither sugar nor flour", ["sugar", "flour"]),
        ("1930s non drama films", ["drama"]),
        ("Ignoring the date palm, what grows in Malta?", ["the date palm"]),
        ("Tell me about cats. Avoid mentioning lions.", ["lions"]),
        ("Can you list towns, and could you exclude Greenville?", ["Greenville"]),
        ("What is he famous for? I'm not interested in his films.", ["his films"]),
        ("In addition to Rush, what other films did he make?", ["Rush"]),
        ("da Vinci (excluding Mona Lisa) and Raphael (excluding Galatea)", ["Mona Lisa", "Galatea"]),
    ],
)
def test_what_a_query_excludes(text: str, scopes: list[str]):
    assert excluded(text) == scopes


@pytest.mark.parametrize(
    "text",
    [
        "how to avoid burnout",
        "ways of avoiding taxes",
        "git ignore node_modules",
        "Avoiding burnout at work",
        "why is my laptop not charging",
        "why is my phone not black",
        "why doesn't my cat eat",
        "bluetooth not working on android",
        "module not found error",
        "what happens when the brain does not get oxygen",
        "how not to be nervous",
        "to be or not to be",
        "don't look up film",
        "can't connect to wifi",
        "birds that cannot fly",
        "no code tools",
        "who invented nothing",
        "I would rather not",
        "non-fiction books of a non-profit",
        "it's not about war",
        'reviews of "Life Without Dick"',
    ],
)
def test_in_doubt_nothing_is_excluded(text: str):
    assert excluded(text) == []


def test_a_denial_that_leaves_nothing_out_is_still_a_negation():
    text = "He made no remark."
    (negation,) = negations(text)
    assert (negation.cue.of(text), negation.scope.of(text), negation.excludes) == ("no", "remark", False)


DATA = os.environ.get("BOOLATTN_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="BOOLATTN_DATA names no folder with negconstraint/ and excluir/")


@needs_data
def test_real_exclusions_are_found():
    with Path(DATA, "negconstraint", "queries.jsonl").open(encoding="utf-8") as lines:
        queries = [json.loads(line)["text"] for line in lines]
    assert sum(bool(excluded(query)) for query in queries) / len(queries) >= 0.99


@needs_data
def test_ordinary_questions_are_left_whole():
    rows = json.loads(Path(DATA, "excluir", "test_manual_final.json").read_text(encoding="utf-8"))
    exclusionary = sum(bool(excluded(row["RQ_rewrite"])) for row in rows) / len(rows)
    ordinary = sum(bool(excluded(row["question0"])) for row in rows) / len(rows)
    assert exclusionary >= 0.92
    assert ordinary <= 0.006

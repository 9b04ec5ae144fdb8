import json
from dataclasses import replace

import pytest

from boolattn.reading.caller import caller_reading
from boolattn.reading.reading import Exclusion, Reading, exclusions_to_apply
from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn.reading.spans import Span
from boolattn.reading.syntax import SyntaxReader
from tests.reading.fixed_reader import THRESHOLDS

BOTH = "films that are not comedies, without war"  # a property and a topic


def learned(*confidences):
    reading = read_by_rules(BOTH)
    kinds = zip(reading.exclusions, confidences, strict=True)
    exclusions = tuple(replace(each, kind="topic", confidence=confidence) for each, confidence in kinds)
    return replace(reading, exclusions=exclusions, source="learned", thresholds=THRESHOLDS)


def applied(reading, *how):
    return [each.span.of(reading.query) for each in exclusions_to_apply(reading, *how)]


def test_every_exclusion_carries_its_words():
    query = "cakes without eggs"
    [read] = read_by_rules(query).exclusions
    assert read.text == "eggs"
    own = Reading.plain(query, "rules", "my reader 1")
    own = replace(own, exclusions=(Exclusion(Span(14, 18), "topic", 0.9), Exclusion(None, "topic", 0.9, text="nuts")))
    assert [each.text for each in own.exclusions] == ["eggs", "nuts"]
    with pytest.raises(ValueError, match="a place in the query, a text, or both"):
        Exclusion(None, "topic", 0.9)


def test_a_property_is_acted_on_where_documents_are_things():
    reading = read_by_rules(BOTH)
    assert applied(reading) == applied(reading, "pages") == ["war"]
    assert applied(reading, "things") == ["comedies", "war"]


def test_an_exclusion_that_no_plan_contains_is_not_acted_on():
    query = "films without \N{PARTY POPPER}, without war"
    named = caller_reading(query, ["\N{PARTY POPPER}", "war"])
    assert len(named.exclusions) == 2
    assert applied(named) == [atom.text for atom in named.plan().negatives] == ["war"]
    written = SyntaxReader().read(["films NOT \N{PARTY POPPER}"])[0]
    assert applied(written) == [atom.text for atom in written.plan().negatives] == ["\N{PARTY POPPER}"]


def test_the_learned_reader_must_be_sure():
    safe, sensitive = (THRESHOLDS["pages"][strictness] for strictness in ("safe", "sensitive"))
    reading = learned(safe, sensitive)
    assert applied(reading) == applied(reading, "pages", "balanced") == ["comedies"]
    assert applied(reading, "pages", "sensitive") == ["comedies", "war"]


def test_things_and_pages_have_thresholds_of_their_own():
    between = learned(0.5, 0.5)
    assert applied(between, "pages") == ["comedies", "war"] and applied(between, "things") == []
    assert applied(between, "things", "balanced") == ["comedies", "war"]


def test_a_reader_without_thresholds_is_always_acted_on():
    assert applied(replace(learned(0.1, 0.1), thresholds=None)) == ["comedies", "war"]


def test_unknown_documents_and_strictness_are_errors():
    reading = read_by_rules(BOTH)
    with pytest.raises(ValueError, match="documents is 'films': use one of things, pages"):
        exclusions_to_apply(reading, "films")
    with pytest.raises(ValueError, match="strictness is 'lax': use one of safe, balanced, sensitive"):
        exclusions_to_apply(reading, "pages", "lax")


def test_keeping_some_exclusions_drops_the_cues_of_the_others():
    reading = read_by_rules(BOTH)
    for place, (cue, excluded) in enumerate([("not", "comedies"), ("without", "war")]):
        kept = reading.keeping(reading.exclusions[place : place + 1])
        assert [span.of(BOTH) for span in kept.cues["not"]] == [cue]
        assert [span.of(BOTH) for span in kept.scopes["not"]] == [excluded]
        assert [atom.text for atom in kept.plan().negatives] == [excluded]
        assert "not" in kept.operators


def test_keeping_no_exclusion_leaves_the_plain_query():
    kept = read_by_rules(BOTH).keeping(())
    assert (kept.exclusions, kept.cues["not"], kept.scopes["not"]) == ((), (), ())
    assert "not" not in kept.operators
    assert [atom.text for atom in kept.plan().atoms] == [BOTH]


def test_keeping_all_changes_nothing():
    for reading in (read_by_rules(BOTH), SyntaxReader().read(["films AND comedy NOT war"])[0]):
        assert reading.keeping(reading.exclusions) is reading


def test_syntax_without_its_exclusions_is_the_plain_query():
    (reading,) = SyntaxReader().read(["films AND comedy NOT war"])
    assert [atom.text for atom in reading.keeping(()).plan().atoms] == ["films AND comedy NOT war"]


def test_two_exclusions_may_share_a_cue():
    query = "cakes without eggs, milk"
    (war,) = read_by_rules("cakes without eggs").exclusions
    milk = Exclusion(war.span._replace(start=20, end=24), "topic", 0.9)
    cues = {"and": (), "or": (), "not": read_by_rules(query).cues["not"]}
    scopes = {"and": (), "or": (), "not": (war.span, milk.span)}
    reading = Reading(query, frozenset({"not"}), cues, scopes, (war, milk), 0.9, "learned", "mine 1")
    assert reading.keeping((milk,)).cues == cues


def test_a_reading_as_json():
    query = "films without war"
    assert json.loads(json.dumps(read_by_rules(query).to_dict())) == {
        "query": query,
        "operators": ["not"],
        "cues": {"not": [[6, 13]]},
        "scopes": {"not": [[14, 17]]},
        "exclusions": [{"text": "war", "span": [14, 17], "kind": "topic", "confidence": 0.857}],
        "confidence": 0.857,
        "source": "rules",
        "reader": "rules 1",
    }

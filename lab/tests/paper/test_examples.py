from collections import Counter
from itertools import islice
from random import Random

import pytest
from lab.tests.catalogs.catalogs import films

from boolattn.reading.caller import labelled_reading
from boolattn.reading.spans import Span
from boolattn_lab.catalogs.generator import canonical_query, generate
from boolattn_lab.catalogs.sentence_triples import generate_triples
from boolattn_lab.formats.boolquestions import BoolQuestion
from boolattn_lab.formats.quest import QuestQuery
from boolattn_lab.formats.setbert import SetBertTriple
from boolattn_lab.paper.examples import (
    Question,
    example_of_boolquestion,
    example_of_generated,
    example_of_quest,
    example_of_sentences,
    examples_of_setbert,
    reading_of,
    vary_cues,
)


def _words(spans, text):
    return {operator: [span.of(text) for span in each] for operator, each in spans.items()}


def test_a_generated_query_is_fully_labelled():
    for query in islice(generate(films(), seed=0), 30):
        example = example_of_generated(query, films())
        assert example.question.operators == set(query.scopes)
        assert (example.question.cues, example.question.scopes) == (query.cues, query.scopes)
        assert len(example.positives) == len(query.answers)
        assert set(example.positives) <= set(films().ids)


def test_a_generated_query_implies_and_excludes_as_its_answers_do():
    seen = {"implied": 0, "excluded": 0}
    for query in islice(generate(films(), seed=0), 80):
        question = example_of_generated(query, films()).question
        alone = {canonical_query(films(), "_", mention.atom).text: mention for mention in query.mentions}
        for text in question.implied:
            assert query.answers <= films().members[alone[text].atom]
        for text in question.excluded:
            assert not query.answers & films().members[alone[text].atom]
            assert alone[text].sign < 0
        if query.template == "_ that are also _ but not _":
            assert (len(question.implied), len(question.excluded)) == (2, 1)
            seen["excluded"] += 1
        if query.template in ("_", "_ or _"):
            assert not question.implied
            seen["implied"] += 1
    assert all(seen.values())


def test_generated_triples_contain_their_sentences():
    triple = next(generate_triples(films(), "not", seed=0))
    example = example_of_sentences(triple)
    assert example.question.operators == {"not"} | set(triple.gold.scopes)
    assert example.positives == tuple(sentence.text for sentence in triple.positives)
    assert example.negatives == tuple(sentence.text for sentence in triple.negatives)


def test_cues_of_setbert_are_varied_as_in_the_paper():
    rng = Random(0)
    said = Counter(vary_cues("cats and dogs", rng) for _ in range(400))
    assert set(said) == {f"cats {cue} dogs" for cue in ("and", "as well as", "are also", "including")}
    assert min(said.values()) > 60
    said = {vary_cues("toys that are not kites", rng) for _ in range(100)}
    assert said == {f"toys that are {cue} kites" for cue in ("not", "other than", "excluding")}
    assert vary_cues("cats or dogs", rng) == "cats or dogs"
    assert vary_cues("Boats without sails", rng) == "Boats without sails"


@pytest.mark.parametrize("conjunction", ["but", "and"])
def test_a_not_after_a_conjunction_is_varied_too(conjunction):
    rng = Random(0)
    said = {vary_cues(f"restaurants serving seafood {conjunction} not sushi", rng) for _ in range(100)}
    cues = (f"{conjunction} not", "other than", "excluding")
    assert said == {f"restaurants serving seafood {cue} sushi" for cue in cues}


def test_a_sentence_is_labelled_with_every_operator_it_contains():
    triple = SetBertTriple("Countries in Europe and Asia but not Russia", ("Turkey",), ("Russia",))
    for seed in range(20):
        [example] = examples_of_setbert([triple], "not", seed)
        assert example.question.operators == {"and", "not"}
        cues = _words(example.question.cues, example.question.text)
        assert set(cues) == {"and", "not"}
        assert all(len(each) == 1 for each in cues.values())


def test_setberts_cues_are_labelled_by_matching_words_and_its_scopes_are_unknown():
    triples = [
        SetBertTriple("Toys that are not kites", ("Marbles",), ("Box kites",)),
        SetBertTriple("Boats without sails", (), ("Sloops",)),  # teaches nothing
        SetBertTriple("Boats without sails", ("Canoes",), ("Sloops",)),
    ]
    first, second = examples_of_setbert(triples, "not", seed=0)
    assert first.question.scopes is None
    assert first.question.operators == {"not"}
    [cue] = _words(first.question.cues, first.question.text)["not"]
    assert cue in ("not", "other than", "excluding")
    assert _words(second.question.cues, second.question.text) == {"not": ["without"]}


@pytest.mark.parametrize(
    ("text", "original", "template", "cues", "scopes"),
    [
        (
            "films set in 1917 but not war films",
            "<mark>Films set in 1917</mark> that are not <mark>War films</mark>",
            "_ that are not _",
            {"not": ["but not"]},
            {"not": ["war films"]},
        ),
        (
            "Orchids of Peru or insects of Chad",
            "<mark>Orchids of Peru</mark> or <mark>Insects of Chad</mark>",
            "_ or _",
            {"or": ["or"]},
            {"or": ["Orchids of Peru", "insects of Chad"]},
        ),
        ("war films", "<mark>War films</mark>", "_", {}, {}),
        ("something else entirely", "<mark>Orchids</mark> or <mark>Insects</mark>", "_ or _", {"or": []}, None),
        ("orchids or insects", None, "_ or _", {"or": ["or"]}, None),
    ],
)
def test_quest_gives_operators_by_template_and_scopes_by_alignment(text, original, template, cues, scopes):
    example = example_of_quest(QuestQuery(text, ("a", "b"), template, original, None))
    assert _words(example.question.cues, text) == cues
    assert example.question.operators == set(cues)
    assert (example.question.scopes and _words(example.question.scopes, text)) == scopes
    assert example.positives == ("a", "b")
    assert not ("or" in cues and example.question.implied)


def test_quest_joins_wanted_atoms_separately_from_excluded_ones():
    text = "French horror films but not zombie films"
    marked = "<mark>French films</mark> that are also <mark>Horror films</mark> but not <mark>Zombie films</mark>"
    question = example_of_quest(QuestQuery(text, ("a",), "_ that are also _ but not _", marked, None)).question
    assert question.operators == {"and", "not"}
    scopes = _words(question.scopes, text)
    assert "zombie" in " ".join(scopes["not"])
    assert "zombie" not in " ".join(scopes["and"])
    assert "horror" in " ".join(scopes["and"])
    assert question.implied == ("French films", "Horror films")
    assert question.excluded == ("Zombie films",)


def test_boolquestions_name_one_operator():
    example = example_of_boolquestion(BoolQuestion("1", "Where is it warm but not wet?", "not", ("7",), ("8",)))
    assert example.question.operators == {"not"}
    assert example.question.scopes is None
    assert (example.positives, example.negatives) == (("7",), ())  # negatives are random, as in the paper


def test_what_a_generated_query_excludes_is_unwanted_unless_it_is_an_answer():
    excluding = 0
    for query in islice(generate(films(), seed=0), 80):
        example = example_of_generated(query, films())
        negated = [films().members[mention.atom] for mention in query.mentions if mention.sign < 0]
        expected = {name for members in negated for name in films().ids_of(members - query.answers)}
        assert set(example.unwanted) == expected
        excluding += bool(expected)
    assert 10 < excluding < 80


def test_an_implicit_and_is_ambiguous():
    seen = set()
    for query in islice(generate(films(), seed=0), 80):
        question = example_of_generated(query, films()).question
        unsaid = "and" in question.operators and not question.cues["and"]
        assert question.unsure == ({"and"} if unsaid else set())
        seen.add(unsaid)
    assert seen == {True, False}


def test_the_reading_of_a_question_is_what_its_labels_say():
    text, cues = "films without war", {"not": (Span(6, 13),)}
    assert reading_of(Question(text, frozenset({"not"}), cues, None)) is None  # unknown
    for scopes in ({}, {"not": (Span(14, 17),)}):
        question = Question(text, frozenset({"not"}), cues, scopes)
        assert reading_of(question) == labelled_reading(text, {"not"}, cues, scopes)

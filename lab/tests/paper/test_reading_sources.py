from itertools import islice

import pytest

from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn_lab.paper import reading_sources
from boolattn_lab.paper.recipes import DataSettings
from boolattn_lab.paper.sources import load_training_data


def _load(data, source, seed=0, **settings):
    return load_training_data(data, DataSettings(source=source, **settings), seed)


@pytest.fixture(scope="module")
def examples(data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_sources, "islice", lambda queries, count: islice(queries, count // 50))
        return _load(data, "reading").train


def test_reading_is_learned_from_queries_of_all_kinds(examples):
    texts = [example.question.text.lower() for example in examples]
    for kind in ("kites but not of peru", "1950s", "okafor", "about sonata", "roses of nepal"):
        assert any(kind in text for text in texts), kind
    assert texts.count("kites but not of peru") == reading_sources.QUEST_TIMES
    held = [example.question.operators for example in examples]
    assert {frozenset(), frozenset({"not"}), frozenset({"and", "or", "not"})} <= set(held)


def test_cues_and_scopes_are_given_and_no_answers_needed(examples):
    assert not any(example.positives or example.unwanted for example in examples)
    generated = examples[8 * reading_sources.QUEST_TIMES :]
    for example in generated:
        question = example.question
        assert question.scopes is not None
        if "not" in question.operators:
            assert question.scopes["not"]
        for spans in (*question.cues.values(), *question.scopes.values()):
            assert all(0 <= span.start < span.end <= len(question.text) for span in spans)


def test_some_use_unseen_wordings_and_some_are_decoys(examples):
    generated = [example.question for example in examples[8 * reading_sources.QUEST_TIMES :]]
    assert any("not" in each.operators and not read_by_rules(each.text).exclusions for each in generated)
    assert any("not" not in each.operators and " not " in each.text for each in generated)


def test_another_seed_gives_other_queries(data):
    first, again, other = (_load(data, "reading", seed, queries=160).train for seed in (0, 0, 1))
    assert len(first) == 160
    assert first == again != other


def test_films_pages_and_passages_are_kept_apart(data):
    found = _load(data, "films-pages-passages", queries=12, validation_queries=3)
    assert (len(found.train), len(found.validation)) == (48, 9)
    for number, name in enumerate(("films", "films", "pages", "passages")):
        part = [*found.train[12 * number :][:12], *found.validation[3 * number :][:3]]
        assert {identifier.partition(":")[0] for example in part for identifier in example.positives} == {name}
    for example in [*found.train, *found.validation]:
        assert {*example.positives, *example.unwanted} <= found.documents.keys()
        assert not set(example.positives) & set(example.unwanted)
        assert bool(example.unwanted) == ("not" in example.question.operators)


def test_films_queries_also_use_names(data):
    found = _load(data, "films-pages-passages", queries=30, validation_queries=0)
    meaning, names = ([each.question.text.lower() for each in found.train[start:][:30]] for start in (0, 30))
    assert any("okafor" in text for text in names) and not any("okafor" in text for text in meaning)


def test_pages_answer_by_what_they_mention(data):
    found = _load(data, "films-pages-passages", queries=30, excluding=True, validation_queries=0)
    for example in found.train[60:90]:
        [*named] = example.question.excluded
        for subject in (text.rpartition(" ")[2] for text in named):
            assert not any(subject in found.documents[answer] for answer in example.positives)
            assert any(subject in found.documents[unwanted] for unwanted in example.unwanted)


@pytest.mark.parametrize("source", ["films", "films-pages-passages"])
def test_queries_without_exclusions_can_be_skipped(data, source):
    every, excluding = (_load(data, source, queries=30, excluding=only, validation_queries=0) for only in (False, True))
    assert all("not" in example.question.operators for example in excluding.train)
    assert not all("not" in example.question.operators for example in every.train)
    assert len(excluding.train) == len(every.train)

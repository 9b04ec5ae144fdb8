"""Unseen exclusions and decoys: exact labels, and halves that share no words."""

from dataclasses import fields
from itertools import islice

import pytest
from lab.tests.catalogs.catalogs import CATALOGS, films, packages

from boolattn.reading.rules.lexicon import DENIALS
from boolattn.reading.rules.lexicon import EXCLUSIONS as KNOWN_EXCLUSIONS
from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn_lab.catalogs.atoms import Phrases
from boolattn_lab.catalogs.expressions import TEMPLATES, atoms_of, scopes_of
from boolattn_lab.catalogs.generator import generate
from boolattn_lab.catalogs.unseen_queries import (
    decoy_queries,
    decoy_wordings,
    unseen_queries,
    unseen_wordings,
)
from boolattn_lab.catalogs.word_matching import content_words
from boolattn_lab.catalogs.wordings import decoys, exclusions, unseen_exclusions
from boolattn_lab.catalogs.wordings.exclusions import EXCLUSIONS
from boolattn_lab.catalogs.wordings.wording import CuePhrase, exclusion_patterns, parse_wordings, wordings_of

SPLITS = ("train", "validation", "test")
ROLES = [field.name for field in fields(Phrases) if not field.name.endswith("order")]
# Words of cues that do not signal an exclusion on their own: "[had] my fill of", "weed [out]".
EVERYDAY = {"out", "up", "off", "had", "my", "w", "could", "give", "gave", "need"}


def patterns(half):
    return [pattern for kind in half for group in kind for pattern in group]


def stems(texts):
    return {word.stem for text in texts for word in content_words(text)} - EVERYDAY


def cue_words(wordings):
    cues = (piece for wording in wordings for piece in wording.pieces if isinstance(piece, CuePhrase))
    return stems(cue.text for cue in cues if "not" in cue.operators)


def decoy_patterns(half):
    return [*half.sentences, *(phrase for phrases in half.phrases_of.values() for phrase in phrases)]


def test_there_are_many_and_the_halves_share_no_wording():
    train, test = patterns(unseen_exclusions.TRAINING), patterns(unseen_exclusions.TESTING)
    assert len(set(train)) == len(train) >= 40
    assert len(set(test)) == len(test) >= 25
    assert set(train).isdisjoint(test)
    assert 0.55 < len(train) / (len(train) + len(test)) < 0.65
    known, new = decoy_patterns(decoys.TRAINING), decoy_patterns(decoys.TESTING)
    assert len(set(known)) == len(known) and len(set(new)) == len(new)
    assert set(known).isdisjoint(new)
    assert len(known) >= 25 and len(new) >= 10


def test_no_cue_word_of_the_testing_half_occurs_in_training():
    told = cue_words(
        wording
        for template in TEMPLATES
        for wording in (
            *wordings_of(template),
            *(unseen_wordings(template, "train") if template in EXCLUSIONS else ()),
        )
    )
    tested = cue_words(wording for template in EXCLUSIONS for wording in unseen_wordings(template, "test"))
    assert {"spare", "allerg", "exclud"} <= told
    assert {"steer", "nix", "veto"} <= tested
    assert told.isdisjoint(tested)
    assert stems(decoy_patterns(decoys.TRAINING)).isdisjoint(tested)


@pytest.mark.parametrize("half", [unseen_exclusions.TRAINING, unseen_exclusions.TESTING])
@pytest.mark.parametrize(
    ("group", "template", "genres"),
    [
        ("of_nouns", "_ that are also _ but not _", ("Silent", "Comedy", "Horror")),
        ("of_one_atom", "_ that are not _", ("Comedy", "Horror")),
    ],
)
def test_the_rules_miss_every_wording(half, group, template, genres):
    atoms = [films().atom("genres", genre) for genre in genres]
    for pattern in (pattern for kind in half for pattern in getattr(kind, group)):
        alone = exclusions.Patterns(**{"of_nouns": (), "of_one_atom": (), group: (pattern,)})
        wordings = parse_wordings(exclusion_patterns(template, alone), ())
        fitting = [wording for wording in wordings if wording.suits(atoms)]
        assert fitting, pattern
        for wording in fitting:
            text = wording.render(atoms, "films", lambda ways: ways[0]).text
            assert not read_by_rules(text).exclusions, text


@pytest.mark.parametrize("template", EXCLUSIONS)
@pytest.mark.parametrize("split", ["train", "test"])
def test_every_wording_names_every_atom_and_has_a_not_cue(template, split):
    for wording in unseen_wordings(template, split):
        assert sorted(mention.slot for mention in wording.mentions) == list(range(len(atoms_of(TEMPLATES[template]))))
        said = {name for piece in wording.pieces if isinstance(piece, CuePhrase) for name in piece.operators}
        assert "not" in said
        assert said <= set(scopes_of(TEMPLATES[template]))
        assert not any(mark in piece for piece in wording.pieces if isinstance(piece, str) for mark in "{}<>|")


@pytest.mark.parametrize("name", CATALOGS)
@pytest.mark.parametrize("split", SPLITS)
def test_labels_are_exact(name, split):
    catalog = CATALOGS[name]()
    cue_texts = {
        piece.text.lower()
        for template in EXCLUSIONS
        for wording in unseen_wordings(template, split)
        for piece in wording.pieces
        if isinstance(piece, CuePhrase) and piece.operators == ("not",)
    }
    for query in islice(unseen_queries(catalog, seed=1, split=split), 100):
        assert query.template in EXCLUSIONS
        for mention in query.mentions:
            ways = (
                way.lower() for role in ROLES for head in catalog.heads for way in mention.atom.wordings(role, head)
            )
            assert mention.span.of(query.text).lower() in ways
        assert {mention.span for mention in query.mentions if mention.sign < 0} == set(query.scopes["not"])
        assert query.cues["not"]
        for cue in query.cues["not"]:
            assert cue.of(query.text).lower() in cue_texts
            assert not any(cue.overlaps(mention.span) for mention in query.mentions)
        assert query.answers == catalog.answers(query.expression)
        assert query.near_misses


@pytest.mark.parametrize("draw", [unseen_queries, decoy_queries])
def test_the_same_seed_gives_the_same_queries_of_its_split(draw):
    first, again, other = ([*islice(draw(films(), seed=seed, split="test"), 40)] for seed in (4, 4, 5))
    assert first == again != other
    for split in SPLITS:
        drawn = {frozenset(atoms_of(q.expression)) for q in islice(draw(films(), seed=4, split=split), 60)}
        usual = islice(generate(films(), seed=0, split="train" if split == "test" else "test"), 300)
        assert drawn.isdisjoint(frozenset(atoms_of(query.expression)) for query in usual)


def test_validation_never_sees_a_wording_of_the_test():
    for template in EXCLUSIONS:
        assert unseen_wordings(template, "validation") == unseen_wordings(template, "train")
        assert set(unseen_wordings(template, "validation")).isdisjoint(unseen_wordings(template, "test"))
    for head in ("films", "packages"):
        assert decoy_wordings(head, "validation") == decoy_wordings(head, "train")
        assert set(decoy_wordings(head, "validation")).isdisjoint(decoy_wordings(head, "test"))


@pytest.mark.parametrize("catalog", [films(), packages()], ids=["films", "packages"])
@pytest.mark.parametrize("split", SPLITS)
def test_decoy_queries_want_their_atom_and_have_no_operator(catalog, split):
    for query in islice(decoy_queries(catalog, seed=2, split=split), 100):
        assert query.template == "_"
        assert not query.operators and not query.cues and not query.scopes and not query.near_misses
        (mention,) = query.mentions
        assert mention.sign == 1
        said = mention.span.of(query.text).lower()
        assert said in (
            way.lower() for role in ROLES for head in catalog.heads for way in mention.atom.wordings(role, head)
        )
        assert said != query.text.lower()
        assert query.answers == catalog.members[mention.atom]


def test_decoys_contain_words_that_exclude_elsewhere():
    taught = stems(decoy_patterns(decoys.TRAINING))
    assert len(taught & cue_words(w for template in EXCLUSIONS for w in unseen_wordings(template, "train"))) >= 10
    tested = stems(decoy_patterns(decoys.TESTING))
    assert len(tested & cue_words(w for template in EXCLUSIONS for w in unseen_wordings(template, "test"))) >= 8
    for half in (decoys.TRAINING, decoys.TESTING):
        words = " ".join(decoy_patterns(half)).split()
        assert len(set(words) & {*DENIALS, *KNOWN_EXCLUSIONS, "hate", "free", "instead"}) >= 4

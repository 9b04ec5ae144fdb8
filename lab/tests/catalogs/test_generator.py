"""Generated queries carry exact labels, and every atom in them matters."""

import gc
import os
import pickle
import subprocess
import sys
import tracemalloc
from collections import Counter
from dataclasses import fields
from itertools import islice

import pytest
from lab.tests.catalogs.catalogs import CATALOGS, films, jsonl, plain_column

from boolattn_lab.catalogs.atoms import Phrases
from boolattn_lab.catalogs.catalog import build_catalog
from boolattn_lab.catalogs.expressions import TEMPLATES, atoms_of, signed_atoms, without
from boolattn_lab.catalogs.films import genre_exclusions
from boolattn_lab.catalogs.generator import generate

ROLES = [field.name for field in fields(Phrases) if not field.name.endswith("order")]


@pytest.fixture(scope="module", params=CATALOGS)
def catalog(request):
    return CATALOGS[request.param]()


@pytest.fixture(scope="module")
def queries(catalog):
    return list(islice(generate(catalog, seed=3, minimum=2), 400))


def test_mentions_and_scopes_are_the_wordings_of_their_atoms(catalog, queries):
    for query in queries:
        for mention in query.mentions:
            said = mention.span.of(query.text).lower()
            ways = (way for role in ROLES for head in catalog.heads for way in mention.atom.wordings(role, head))
            assert said in (way.lower() for way in ways)
        by_span = {mention.span: mention for mention in query.mentions}
        assert len(by_span) == len(query.mentions)
        assert {span for spans in query.scopes.values() for span in spans} <= set(by_span)
        assert {by_span[span] for span in query.scopes.get("not", ())} == {m for m in query.mentions if m.sign == -1}
        assert [(mention.atom, mention.sign) for mention in query.mentions] == list(signed_atoms(query.expression))


def test_cues_are_whole_words_outside_the_atoms(queries):
    for query in queries:
        assert list(query.cues) == list(query.scopes) == list(query.operators)
        for span in (span for spans in query.cues.values() for span in spans):
            assert not any(span.overlaps(mention.span) for mention in query.mentions)
            assert span.of(query.text) == span.of(query.text).strip() != ""
            before, after = query.text[: span.start][-1:], query.text[span.end :][:1]
            assert not before.isalnum()
            assert not (after.isalnum() and span.of(query.text)[-1].isalnum())


def test_text_between_the_labels_contains_no_operator_unless_a_frame_does(queries):
    for query in queries:
        spans = sorted([m.span for m in query.mentions] + [s for spans in query.cues.values() for s in spans])
        rest, end = "", 0
        for span in spans:
            rest, end = rest + query.text[end : span.start] + "|", max(end, span.end)
        words = set((rest + query.text[end:]).lower().replace("|", " ").split())
        assert not words & {"or", "not", "nor", "except", "without", "excluding", "both", "either", "also"}


def test_every_atom_matters(catalog, queries):
    for query in queries:
        assert query.answers == catalog.answers(query.expression)
        assert len(query.answers) >= 2
        for atom in atoms_of(query.expression):
            rest = without(query.expression, [atom])
            others = catalog.everything if rest is None else catalog.answers(rest)
            assert len(others ^ query.answers) >= 2
        if "not" in query.operators:
            assert len(query.near_misses) >= 2
            assert query.near_misses.isdisjoint(query.answers)
            negated = [catalog.members[mention.atom] for mention in query.mentions if mention.sign == -1]
            assert query.near_misses <= type(query.near_misses).union(*negated)
        else:
            assert not query.near_misses


def test_all_templates_and_styles_occur(queries):
    assert set(Counter(query.template for query in queries)) == set(TEMPLATES)
    assert any("and" in query.operators and not query.cues["and"] for query in queries), "no implicit conjunction"
    assert any(query.text.endswith("?") for query in queries)
    assert len({query.text for query in queries}) > 0.9 * len(queries)


def test_the_same_seed_gives_the_same_bytes_in_another_process():
    program = (
        "from itertools import islice; from hashlib import sha256; from lab.tests.catalogs.catalogs import films;"
        "from boolattn_lab.catalogs.generator import generate;"
        "print(sha256(repr(list(islice(generate(films(), seed=11, split='test'), 60))).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(digests) == 1
    texts = [[query.text for query in islice(generate(films(), seed=seed), 20)] for seed in (11, 11, 12)]
    assert texts[0] == texts[1] != texts[2]


def test_queries_stream_without_accumulating():
    stream = generate(films(), seed=0)
    list(islice(stream, 4000))  # until the caches are full
    gc.collect()
    tracemalloc.start()
    for _ in islice(stream, 1000):
        pass
    gc.collect()  # uncollected garbage does not count
    held, _ = tracemalloc.get_traced_memory()
    kept = list(islice(stream, 1000))
    held_if_kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kept) == 1000
    assert held < 0.3 * (held_if_kept - held)


def test_queries_can_be_sent_to_another_process():
    query = next(generate(films(), seed=0))
    assert pickle.loads(pickle.dumps(query)) == query


def test_templates_can_be_chosen():
    chosen = ["_ that are not _", "_ or _"]
    assert {query.template for query in islice(generate(films(), seed=0, templates=chosen), 30)} == set(chosen)
    with pytest.raises(ValueError, match=r"no such templates: \['_ xor _'\]"):
        generate(films(), seed=0, templates=["_ xor _"])


def test_a_catalog_too_small_for_queries_is_an_error():
    rows = [("p", {"colour": ["red"]}), ("q", {"colour": ["blue"]})]
    catalog = build_catalog(rows, [plain_column("colour")])
    with pytest.raises(ValueError, match="no attribute has 3 entities or more"):
        generate(catalog, seed=0)
    with pytest.raises(ValueError, match="found no expression"):
        next(generate(catalog, seed=0, minimum=1, templates=["_ that are also _"]))


def test_genre_exclusions_are_all_ordered_pairs_that_overlap_enough():
    films_of = {}
    for number, film in enumerate(jsonl("films.jsonl")):
        for genre in film["genres"]:
            films_of.setdefault({"Sport": "Sports"}.get(genre, genre), set()).add(number)
    expected = {
        f"{a.lower()} films that are not {b.lower()} films": films_of[a] - films_of[b]
        for a in films_of
        for b in films_of
        if a != b
        and min(len(films_of[a]), len(films_of[b])) >= 20
        and len(films_of[a] & films_of[b]) >= 0.25 * len(films_of[a])
        and len(films_of[a] - films_of[b]) >= 12
    }
    found = list(genre_exclusions(films(), smallest_genre=20, overlap=0.25, smallest_answer=12))
    assert {query.text: set(query.answers) for query in found} == expected
    assert 3 < len(found) < 90
    assert found[0].scopes["not"][0].of(found[0].text) == found[0].text.partition(" that are not ")[2]


def test_a_query_has_at_most_the_maximum_number_of_answers():
    usual = [len(query.answers) for query in islice(generate(films(), seed=0), 60)]
    limited = [len(query.answers) for query in islice(generate(films(), seed=0, maximum=8), 60)]
    assert max(usual) > 8 and 3 <= min(limited) <= max(limited) <= 8
    with pytest.raises(ValueError, match="at most 2 answers, but at least 3: raise the maximum"):
        generate(films(), seed=0, maximum=2)

from dataclasses import replace

import numpy as np
import pytest

from boolattn import DualEncoder, ReadingOptions
from boolattn.backbones.storage.fingerprint import document_fingerprint
from boolattn.reading import reading
from boolattn.reading.caller import caller_reading
from boolattn.reading.plan_builder import tree_of
from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import Filter, IndexDescription, Rows, WrongIndexError
from boolattn.retrieval.search.hits import verified_hits
from boolattn.retrieval.search.searcher import Searcher, SearchSettings
from tests.reading.fixed_reader import FixedReader
from tests.retrieval.search.recording_index import RecordingIndex
from tests.retrieval.search.vietnam import FILMS, QUERY, WAR

DENSE = SearchSettings(verify=False)
HYBRID = SearchSettings(text=True, verify=False)
ALL_STAGES = SearchSettings(text=True)


@pytest.fixture(scope="module")
def model(by_rules):
    return by_rules


@pytest.fixture(scope="module")
def filled(bare):
    """Return a function that makes an index of the films; the even ones are in colour."""
    vectors = bare.encode(list(FILMS.values()), normalize_embeddings=True)
    description = IndexDescription(
        document_fingerprint(bare), "MiniLM", vectors.shape[1], "cosine", {"colour": "boolean"}
    )
    colours = [{"colour": number % 2 == 0} for number in range(len(FILMS))]
    titles = [name.title() for name in FILMS]

    def make(has_text=True, **changes):
        index = RecordingIndex(has_text)
        index.create(replace(description, **changes))
        index.upsert(Rows(list(FILMS), titles, list(FILMS.values()), vectors, colours))
        return index

    return make


def ids(hits):
    return [hit.doc_id for hit in hits]


def test_an_index_of_another_model_is_refused(model, filled):
    with pytest.raises(WrongIndexError, match=r"other-model.*load that one"):
        Searcher(model, filled(fingerprint="another", model="other-model"))


def test_a_search_builds_one_plan(model, filled, monkeypatch):
    built = []
    monkeypatch.setattr(reading, "tree_of", lambda *given: built.append(given) or tree_of(*given))
    for settings in (SearchSettings(), SearchSettings(text=True), SearchSettings(text=True, verify=False)):
        searcher = Searcher(model, filled(), settings=settings)
        built.clear()
        read = searcher.read(QUERY)
        searcher.plan(read)
        searcher.search(read, 3)
        assert len(built) == 1, settings


def test_the_dense_leg_is_one_vector_and_one_call_of_the_index(model, filled):
    index = filled()
    found = Searcher(model, index, settings=DENSE).rank(QUERY, 3)
    assert index.asked == [("search", 6)], "twice the hits: an approximate index compares more documents"
    assert found == index.search(model.encode_query(QUERY, normalize_embeddings=True), 3)
    Searcher(model, index, settings=DENSE).rank("movies set in Vietnam", 3)
    assert index.asked[-1] == ("search", 3)


def test_verification_is_one_call_of_the_index_and_fetches_only_what_words_found(model, filled):
    index = filled(has_text=False)
    Searcher(model, index, settings=ALL_STAGES).rank(QUERY, 3)
    assert index.asked == [("nearest", 500)]
    index = filled()
    few = replace(ALL_STAGES, pool=2)
    found = Searcher(model, index, settings=few).search(QUERY, 2)
    assert index.asked[:2] == [("search_text", "movies set vietnam"), ("nearest", 2)]
    [(last, fetched)] = index.asked[2:]
    assert last == "fetch" and 0 < fetched <= 2, "the others came with the vector search"
    assert all(hit.text == FILMS[hit.doc_id] for hit in found)


def test_without_a_plan_the_vector_is_the_plain_models(model, bare, filled):
    index = filled()
    found = Searcher(model, index, settings=replace(DENSE, plan=False)).rank(QUERY, 5)
    assert found == index.search(bare.encode_query(QUERY, normalize_embeddings=True), 5)
    assert found != Searcher(model, index, settings=DENSE).rank(QUERY, 5)


def test_without_a_plan_the_query_is_its_words(model, filled):
    index = filled()
    Searcher(model, index, settings=replace(ALL_STAGES, plan=False)).rank(QUERY)
    assert index.asked == [("search", 500), ("search_text", "movies set vietnam war")]
    [hit, *_] = Searcher(model, index, settings=SearchSettings(plan=False)).search(QUERY)
    assert hit.atoms == ()


def test_text_search_uses_only_the_wanted_words(model, filled):
    index = filled()
    Searcher(model, index, settings=HYBRID).rank(QUERY)
    assert [text for call, text in index.asked if call == "search_text"] == ["movies set vietnam"]


def dict_of(hits):
    return {hit.doc_id: hit.score for hit in hits}


def test_text_finds_what_a_vector_cannot(model, filled):
    query = "xqz17"
    by_vector = dict_of(Searcher(model, filled(), settings=DENSE).rank(query, len(FILMS)))
    joined = Searcher(model, filled(), settings=HYBRID).rank(query, len(FILMS))
    assert joined[0].doc_id == "xqz17" and joined[0].score > joined[1].score
    assert set(by_vector) == set(dict_of(joined))


@pytest.mark.parametrize("has_text", [True, False])
def test_verification_demotes_unwanted_documents_and_reports_it(model, filled, has_text):
    hits = Searcher(model, filled(has_text), settings=ALL_STAGES).search(QUERY, len(FILMS))
    assert set(ids(hits)[:3]) == {"cooking", "river", "hanoi"}
    of = {hit.doc_id: hit for hit in hits}
    assert [(atom.text, atom.sign) for atom in of["platoon"].atoms] == [("movies set in Vietnam", 1), ("war", -1)]
    assert all(of[name].atoms[1].effect < 0 for name in WAR)
    assert all(of[name].atoms[1].effect == 0 for name in ("cooking", "cowboy"))
    assert of["river"].atoms[0].effect > 0 == of["space"].atoms[0].effect


def test_strength_scales_the_demotion(model, filled):
    def place(strength):
        hits = Searcher(model, filled(), settings=SearchSettings(strength=strength)).search(QUERY, len(FILMS))
        return np.mean([ids(hits).index(name) for name in WAR])

    assert place(0) < place(1) <= place(5)


def test_a_plain_model_is_read_by_rules(bare, filled):
    searcher = Searcher(bare, filled(), reader="rules")
    assert searcher.plan(QUERY) == read_by_rules(QUERY).plan()
    for settings, finds_war in ((replace(DENSE, plan=False), True), (DENSE, False), (SearchSettings(), False)):
        assert bool(WAR & set(ids(Searcher(bare, filled(), settings=settings).search(QUERY, 2)))) == finds_war


def test_hits_come_with_their_documents(model, filled):
    for settings in (SearchSettings(), ALL_STAGES, HYBRID, DENSE):
        searcher = Searcher(model, filled(), settings=settings)
        hits = searcher.search("cattle drive", 2)
        assert (hits[0].doc_id, hits[0].title, hits[0].text) == ("cowboy", "Cowboy", FILMS["cowboy"])
        assert hits[0].metadata == {"colour": True} and len(hits) == 2 and hits[0].score > hits[1].score
        assert [(hit.doc_id, hit.score) for hit in hits] == [
            (hit.doc_id, hit.score) for hit in searcher.rank("cattle drive", 2)
        ]


@pytest.mark.parametrize("settings", [SearchSettings(), ALL_STAGES, HYBRID, DENSE])
def test_filters_apply_in_every_stage(model, filled, settings):
    searcher = Searcher(model, filled(), settings=settings)
    in_colour = [Filter("colour", "=", True)]
    assert set(ids(searcher.search(QUERY, 10, in_colour))) == set(list(FILMS)[::2])
    assert searcher.search(QUERY, 10, [*in_colour, Filter("colour", "=", False)]) == []


def test_a_pool_is_never_smaller_than_k(model, filled):
    searcher = Searcher(model, filled(), settings=SearchSettings(text=True, pool=1))
    assert len(searcher.search(QUERY, 7)) == 7
    assert len(searcher.gather(QUERY, 1).rows) <= 3, "one near each vector, and one by words"


@pytest.mark.parametrize("query", ["", "not war", "of the"])
def test_queries_that_want_nothing_are_answered(model, filled, query):
    for settings in (SearchSettings(), ALL_STAGES, HYBRID, DENSE):
        assert len(Searcher(model, filled(), settings=settings).search(query, 4)) == 4


def test_settings_out_of_bounds_are_refused(model, filled):
    for mistake in ({"strength": -1}, {"strength": float("inf")}, {"strength": float("nan")}, {"pool": 0}):
        with pytest.raises(ValueError, match=r"use [01]"):
            SearchSettings(**mistake)
    for ask in (Searcher(model, filled()).search, Searcher(model, filled(), settings=DENSE).rank):
        for k in (0, 10_001):
            with pytest.raises(ValueError, match="1 to 10,000 hits"):
                ask(QUERY, k)
        with pytest.raises(ValueError, match="not valid Unicode"):
            ask("caf\udce9 but not war")


@pytest.mark.parametrize("settings", [SearchSettings(), ALL_STAGES, HYBRID, DENSE])
@pytest.mark.parametrize("boolean", [True, False])
def test_one_search_reads_its_query_once(model, bare, filled, settings, boolean):
    reader = FixedReader("war")
    searcher = Searcher(model if boolean else bare, filled(), settings=settings, reader=reader)
    hits = searcher.search(QUERY, 3)
    assert reader.queries == [QUERY]
    assert {hit.reader for hit in hits} == {"fixed 7"}
    reading = searcher.read(QUERY)
    assert searcher.search(reading, 3) == hits and searcher.plan(reading).reader == "fixed 7"
    assert reader.queries == [QUERY, QUERY]


PROPERTY = "movies set in Vietnam that are not war films"


@pytest.mark.parametrize("boolean", [True, False])
def test_a_property_is_acted_on_where_documents_are_things(model, bare, filled, boolean):
    for declared, documents, acts in [(None, None, False), ("things", None, True), ("things", "pages", False),
                                      (None, "things", True)]:  # fmt: skip
        index = filled(documents=declared)
        found = Searcher(model if boolean else bare, index, reader="rules", documents=documents)
        assert bool(found.plan(PROPERTY).negatives) == acts
        assert bool([atom for atom in found.search(PROPERTY, 1)[0].atoms if atom.sign == -1]) == acts
        assert found.read(PROPERTY).exclusions  # it is reported all the same


def test_the_models_documents_option_applies_to_an_undeclared_index(minilm_folder, filled):
    model = DualEncoder.training_free(str(minilm_folder))
    model.options = ReadingOptions(reader="rules", documents="things")
    assert Searcher(model, filled()).plan(PROPERTY).negatives


@pytest.mark.parametrize("boolean", [True, False])
def test_without_acting_a_search_is_the_plain_one(model, bare, filled, boolean):
    searcher = Searcher(model if boolean else bare, filled(), settings=ALL_STAGES, reader="rules", act=False)
    plain = Searcher(model, filled(), settings=replace(HYBRID, plan=False))
    assert dict_of(searcher.search(QUERY)) == dict_of(plain.search(QUERY))
    assert searcher.read(QUERY).exclusions


def test_the_caller_can_name_exclusions(model, filled):
    searcher = Searcher(model, filled())
    [hit, *_] = searcher.search("movies set in Vietnam, war", exclude=["war"])
    assert [(atom.text, atom.sign) for atom in hit.atoms] == [("movies set in Vietnam", 1), ("war", -1)]
    assert hit.reader == "caller"
    assert searcher.plan(QUERY, exclude=[]).negatives == ()
    assert searcher.plan(caller_reading(QUERY, ["war"])).negatives


@pytest.mark.parametrize("boolean", [True, False])
def test_words_that_are_not_in_the_query_push_their_documents_down(model, bare, filled, tmp_path, boolean):
    index = open_index(f"lance://{tmp_path}/films")
    held = filled()
    index.create(held.describe())
    index.upsert(held.fetch(list(FILMS)))
    for settings in (SearchSettings(), DENSE, ALL_STAGES):
        searcher = Searcher(model if boolean else bare, index, settings=settings, documents="things")
        assert WAR & set(ids(searcher.search("set in Vietnam", 3)))
        for exclude in (["war", "soldiers fighting"], {"war": 2, "soldiers fighting": 1}):
            found = searcher.search("set in Vietnam", 10, exclude=exclude)
            assert not WAR & set(ids(found)[:3]), (settings, ids(found))
            assert found[0].reader == "caller"
    atoms = {hit.doc_id: {atom.text: atom.effect for atom in hit.atoms} for hit in found}
    assert atoms["pilots"]["war"] < 0 == atoms["hanoi"]["war"]
    weaker = {hit.doc_id: hit.atoms for hit in searcher.search("set in Vietnam", 10, exclude=["war"])}
    assert atoms["pilots"]["war"] < next(atom.effect for atom in weaker["pilots"] if atom.text == "war")
    assert "Vietnam NOT war" in str(searcher.plan("set in Vietnam", exclude={"war": 2}))
    assert searcher.read("set in Vietnam", {"war": 2}).applied[0].text == "war"
    index.close()


def test_exclusions_that_would_be_ignored_are_refused(model, filled):
    searcher = Searcher(model, filled())
    reading = searcher.read(QUERY)
    unplanned = Searcher(model, filled(), settings=SearchSettings(plan=False))
    for ask in (Searcher.search, Searcher.plan):
        for exclude in (["war"], []):
            with pytest.raises(ValueError, match=r"has been read: pass the query's text, or exclude= to read\(\)"):
                ask(searcher, reading, exclude=exclude)
        with pytest.raises(ValueError, match=r"exclude=\['war'\] has no effect .* use plan=True"):
            ask(unplanned, QUERY, exclude=["war"])
    assert unplanned.search(QUERY, exclude=[]) == unplanned.search(QUERY)


def test_the_candidates_of_a_query_that_excludes_nothing_are_scored_by_the_vector_alone(model, filled):
    searcher, query = Searcher(model, filled(), settings=SearchSettings()), "movies set in Vietnam"
    scored = {hit.doc_id: hit.score for hit in verified_hits(searcher.gather(query), 1.0, 5)}
    assert scored == pytest.approx(dict_of(searcher.search(query, 5)))
    assert np.any(searcher.gather(QUERY).evidence.effects(1.0)) and not np.any(
        searcher.gather(query).evidence.effects(1.0)
    )


def test_candidates_are_near_the_plain_vector_too(bare, filled):
    index = filled(has_text=False)
    pool = Searcher(bare, index, settings=SearchSettings(pool=2), reader="rules").gather(QUERY, 2)
    plain = {hit.doc_id for hit in index.search(bare.encode_query(QUERY, normalize_embeddings=True), 2)}
    assert plain <= set(pool.rows.ids)
    assert [call for call, _ in index.asked] == ["nearest", "search"], "one call of the index for both vectors"


def test_explicit_alternatives_have_a_vector_each(bare, filled):
    index = filled(has_text=False)
    searcher = Searcher(bare, index, settings=SearchSettings(pool=2))
    pool = searcher.gather("films AND (cooking OR soldiers)", 2)
    for alternative in ("films cooking", "films soldiers"):
        vector = bare.encode_query(alternative, normalize_embeddings=True)
        nearest, _ = index.search(vector, 2)
        place = pool.rows.ids.index(nearest.doc_id)
        assert pool.evidence.similarity[place] >= nearest.score - 1e-5

import pytest

from boolattn.backbones.labelled_query import LabelledQuery
from boolattn.reading.caller import labelled_reading
from boolattn.reading.spans import Span
from boolattn_lab.paper.examples import Example, Question
from boolattn_lab.paper.recipes import Settings
from boolattn_lab.paper.sampling import Drawing

DOCUMENTS = {str(n): f"document {n}" for n in range(30)}
ANSWERS = tuple(str(n) for n in range(20))


def _question(text):
    return Question(text, frozenset({"not"}), {}, None)


EXAMPLES = [Example(_question(f"query {n}"), ANSWERS) for n in range(6)]


def _settings(negatives=5, gates="learned", **changes):
    return Settings(negatives=negatives, gates=gates, **changes)


def _drawing(seed=0, labels=None, examples=EXAMPLES, **changes):
    return Drawing(examples, DOCUMENTS, _settings(**changes), seed, labels)


def _epoch(drawing, epoch):
    drawing.epoch = epoch
    return list(drawing.dataset())


def test_the_positive_is_redrawn_in_every_epoch():
    drawing = _drawing()
    positives = {row["positive"] for epoch in range(40) for row in _epoch(drawing, epoch)[:1]}
    assert len(positives) > 10
    assert positives <= {DOCUMENTS[answer] for answer in ANSWERS}


def test_a_fixed_positive_stays_the_same_in_every_epoch():
    drawing = _drawing(positive="fixed")
    first, others = _epoch(drawing, 0), [_epoch(drawing, epoch) for epoch in range(1, 20)]
    assert all([row["positive"] for row in rows] == [row["positive"] for row in first] for rows in others)
    assert len({row["positive"] for row in first}) > 1, "not the same for every query"
    assert any(rows[0]["negative_1"] != first[0]["negative_1"] for rows in others), "negatives are still drawn anew"
    assert _epoch(_drawing(positive="fixed", seed=1), 0) != first


def test_hard_negatives_are_wrong_answers_that_bm25_ranks_high():
    documents = {"a": "red kites", "b": "old kites", "c": "kites of Peru", **{f"d{n}": f"stone {n}" for n in range(50)}}
    example = Example(_question("old red kites"), ("a",))
    drawing = Drawing([example], documents, _settings(2, negatives_from="bm25"), seed=0)
    for row in (rows[0] for rows in (_epoch(drawing, epoch) for epoch in range(5))):
        assert {row["negative_1"], row["negative_2"]} == {"old kites", "kites of Peru"}
    more = Drawing([example], documents, _settings(3, negatives_from="bm25"), seed=0).dataset()[0]
    assert more["negative_3"].startswith("stone"), "random ones where BM25 finds too few"
    sentence = Example(_question("kites"), ("red kites",), ("stones",))
    with pytest.raises(ValueError, match="needs a source with documents: use 'random'"):
        Drawing([sentence], None, _settings(1, negatives_from="bm25"), seed=0)


def test_operators_can_be_written_as_words():
    assert _drawing(gates="words").dataset()[0]["query"] == "not: query 0"


def test_sentences_on_the_query_route_have_no_operators():
    example = Example(_question("kites or boats"), ("red kites",), ("stones",))
    settings = _settings(1, gates="given", triplet_route="query")
    row = Drawing([example], None, settings, seed=0).dataset()[0]
    assert (row["positive"].operators, row["negative_1"].operators) == (frozenset(), frozenset())
    assert row["query"].operators == {"not"}


def test_negatives_are_five_different_documents_that_are_no_answers():
    drawing = _drawing()
    seen = set()
    for epoch in range(5):
        for row in _epoch(drawing, epoch):
            negatives = [row[f"negative_{n}"] for n in range(1, 6)]
            assert len(set(negatives)) == 5
            seen.update(negatives)
    assert seen == {DOCUMENTS[str(n)] for n in range(20, 30)}


def test_what_is_drawn_depends_on_seed_epoch_and_row_alone():
    forwards, backwards = _drawing().dataset(), _drawing().dataset()
    there = {n: forwards[n] for n in range(6)}
    back = {n: backwards[n] for n in reversed(range(6))}
    assert there == back
    assert _epoch(_drawing(), 1) == _epoch(_drawing(), 1)
    assert _epoch(_drawing(), 1) != _epoch(_drawing(), 2)
    assert _epoch(_drawing(seed=1), 1) != _epoch(_drawing(), 1)


def test_a_batch_has_the_requested_rows():
    labels = [[10 * n, 0] for n in range(6)]
    batch = _drawing(labels=labels).dataset()[[4, 1]]
    assert batch["query"] == ["query 4", "query 1"]
    assert batch["label"] == [[4, 40, 0], [1, 10, 0]]  # its number goes before
    assert list(batch)[:3] == ["query", "positive", "negative_1"]  # losses go by the order of columns


def test_queries_carry_their_operators_if_gates_are_given():
    assert not isinstance(_drawing().dataset()[0]["query"], LabelledQuery)
    assert _drawing(gates="given").dataset()[0]["query"].operators == {"not"}


def test_sentences_have_their_own_negatives():
    example = Example(_question("kites or boats"), ("red kites", "old boats"), ("stones",))
    row = Drawing([example], None, _settings(1), seed=0).dataset()[0]
    assert row["positive"] in example.positives
    assert row["negative_1"] == "stones"


@pytest.mark.parametrize(
    ("example", "documents"),
    [
        (Example(_question("no positive"), ()), DOCUMENTS),
        (Example(_question("everything"), tuple(DOCUMENTS)), DOCUMENTS),
        (Example(_question("no negative"), ("a",)), None),
    ],
)
def test_an_example_without_positives_or_negatives_is_refused(example, documents):
    with pytest.raises(ValueError, match=example.question.text):
        Drawing([example], documents, _settings(), seed=0)


def test_an_answer_missing_from_the_corpus_is_named_before_it_is_drawn():
    example = Example(_question("kites"), ("3", "77"))
    with pytest.raises(ValueError, match="'kites' refers to document '77'"):
        Drawing([example], DOCUMENTS, _settings(), seed=0)
    assert Drawing([example], DOCUMENTS, _settings(), seed=0, alone=True).columns == ["query"]


def test_a_query_comes_with_one_it_implies_and_one_it_excludes():
    question = Question("kites, red, not old", frozenset({"and", "not"}), {}, None, ("kites", "red"), ("old",))
    examples = [Example(question, ANSWERS), EXAMPLES[0]]
    drawing = Drawing(examples, DOCUMENTS, _settings(2, gates="given"), seed=0, related=True)
    rows = [row for epoch in range(10) for row in _epoch(drawing, epoch)]
    assert {row["implied"] for row in rows[::2]} == {"kites", "red"}
    assert {row["excluded"] for row in rows[::2]} == {"old"}
    assert rows[0]["implied"].operators == rows[0]["excluded"].operators == frozenset()
    assert rows[1]["implied"] == rows[1]["excluded"] == "query 0"  # it has neither
    assert drawing.columns[-2:] == ["implied", "excluded"]


def test_queries_without_documents_need_no_answers():
    examples = [Example(_question(f"query {n}"), ()) for n in range(4)]
    drawing = Drawing(examples, None, _settings(), seed=0, labels=[[7, 7]] * 4, alone=True)
    assert drawing.columns == ["query"]
    assert drawing.dataset()[[3, 0]] == {"query": ["query 3", "query 0"], "label": [[3, 7, 7], [0, 7, 7]]}
    related = Drawing(examples, None, _settings(), seed=0, alone=True, related=True)
    assert related.columns == ["query", "implied", "excluded"]


def test_queries_carry_what_they_exclude_if_known():
    def asked(**known):
        question = Question("kites, not old", frozenset({"not"}), {"not": (Span(7, 10),)}, **known)
        return Drawing([Example(question, ())], None, _settings(1, "given"), seed=0, alone=True).dataset()[0]["query"]

    known = asked(scopes={"not": (Span(11, 14),)})
    cues, scopes = {"not": (Span(7, 10),)}, {"not": (Span(11, 14),)}
    assert known.reading == labelled_reading("kites, not old", {"not"}, cues, scopes)
    assert asked(scopes=None).reading is None
    assert asked(scopes={}).reading.exclusions == ()
    assert asked(scopes={"not": (Span(11, 14),)}).operators == {"not"}

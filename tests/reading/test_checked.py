"""A reader that returns something faulty is told what to fix, on every path; nothing is ignored without a word."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

import boolattn
from boolattn.reading.caller import caller_reading
from boolattn.reading.checked import checked_readings
from boolattn.reading.options import ReadingOptions
from boolattn.reading.readers import FirstOf, reader_of
from boolattn.reading.reading import Exclusion, Reading
from boolattn.reading.spans import Span
from boolattn.reading.syntax import SyntaxReader
from boolattn.retrieval.search.searcher import Searcher
from tests.docs.test_extend import follow, rows_and_description

QUERY, WAR = "films sans war", Span(11, 14)
TOPIC = (Exclusion(WAR, "topic", 1.0),)
NOTHING = {"and": (), "or": (), "not": ()}


class Changed:
    """Reads "war" as excluded, with something wrong."""

    name = "faulty 1"

    def __init__(self, **changes):
        self.changes = changes

    def read(self, queries):
        return [replace(self._right(query), **self.changes) for query in queries]

    def _right(self, query):
        return replace(caller_reading(query, ["war"]), source="rules", reader=self.name)


class Returns:
    """Returns the same for all queries."""

    name = "faulty 2"

    def __init__(self, found):
        self.found = found

    def read(self, queries):
        return self.found


FAULTS = {
    "scopes alone": ({"exclusions": ()}, r'scopes\["not"\] names "war", but exclusions does not: add an Exclusion'),
    "exclusions alone": ({"scopes": NOTHING}, r'exclusions names "war", but scopes\["not"\] does not: add its span'),
    "an operator is missing": ({"operators": frozenset()}, 'it excludes something, but operators lacks "not": add it'),
    "an operator too many": ({"exclusions": (), "scopes": NOTHING}, 'operators has "not", but exclusions is empty'),
    "capitals": ({"operators": frozenset({"NOT"})}, 'operators has "NOT": the names are "and", "or", "not"'),
    "names in capitals": ({"scopes": {"NOT": (WAR,)}}, 'scopes has "NOT": the names are "and", "or", "not"'),
    "a name is missing": (
        {"scopes": {"not": (WAR,)}},
        'scopes has no "and": start from Reading.plain, which has every',
    ),
    "a name too many": ({"cues": {**NOTHING, "nor": ()}}, 'cues has "nor": the names are'),
    "pairs of numbers": ({"scopes": {**NOTHING, "not": ((11, 14),)}}, r"scopes has \(11, 14\): write Span\(11, 14\)"),
    "one span": ({"cues": {**NOTHING, "not": WAR}}, "cues has 11: a tuple of spans is needed, even for one"),
    "outside": (
        {"cues": {**NOTHING, "not": (Span(11, 40),)}},
        "characters 11 to 40 are not in the query, which has 14",
    ),
    "an empty span": ({"cues": {**NOTHING, "not": (Span(3, 3),)}}, "characters 3 to 3 are not in the query"),
    "another query": ({"query": "other"}, "it is of 'other': return one reading per query, in the same order"),
    "a kind": ({"exclusions": (Exclusion(WAR, "topics", 1.0),)}, 'the kind \'topics\': use "topic", "property"'),
    "no number": ({"exclusions": (Exclusion(WAR, "topic", float("nan")),)}, "the confidence nan: use a number from 0"),
    "too sure": ({"confidence": 80}, "the confidence 80: use a number from 0 to 1"),
    "a weight": ({"exclusions": (Exclusion(WAR, "topic", 1.0, weight=-1),)}, "the weight -1: use a number above 0"),
    "thresholds": ({"thresholds": {"things": {"safe": 0.5}}}, r'thresholds has no \["things"\]\["balanced"\]: add it'),
    "a source": ({"source": "mine"}, 'the source \'mine\': use "caller", "syntax", "rules"'),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_with_a_reading_is_named_and_how_to_fix_it(fault):
    changes, message = FAULTS[fault]
    with pytest.raises(ValueError, match=f"^the reader 'faulty 1' read {QUERY!r} wrongly: .*{message}"):
        boolattn.read(QUERY, reader=Changed(**changes))


def test_a_reading_that_is_not_wrong_is_acted_on():
    assert str(boolattn.read(QUERY, reader=Changed()).plan()) == "films NOT war"
    assert str(boolattn.read(QUERY, reader=Changed(cues=NOTHING)).plan()) == "films sans NOT war"
    elsewhere = Changed(scopes=NOTHING, cues=NOTHING, exclusions=(Exclusion(None, "topic", 1.0, text="battles"),))
    assert str(boolattn.read(QUERY, reader=elsewhere).plan()) == "films sans war NOT battles"


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([], "'faulty 2' returned 0 readings of 1 query: return one reading per query"),
        ([Reading.plain(QUERY, "rules", "x")] * 2, "returned 2 readings of 1 query"),
        (None, "returned NoneType: return a list with one Reading per query"),
        (Reading.plain(QUERY, "rules", "x"), "returned Reading: return a list"),
        ([{"query": QUERY}], "it is dict: return a boolattn.reading.reading.Reading"),
    ],
    ids=["none", "two", "nothing", "a reading", "not a reading"],
)
def test_one_reading_per_query_is_needed(found, message):
    for reader in (Returns(found), FirstOf(SyntaxReader(), Returns(found))):
        with pytest.raises(ValueError, match=message):
            boolattn.read(QUERY, reader=reader)


FAULTY = Changed(exclusions=())


@pytest.fixture(scope="module")
def plain(minilm_folder):
    return SentenceTransformer(str(minilm_folder))


@pytest.fixture(scope="module")
def searcher(plain):
    index = follow("Add an index")["ListIndex"](*rows_and_description(plain))
    return Searcher(plain, index, reader=FAULTY)


@pytest.mark.parametrize("path", ["vectors", "read", "plan", "search", "Boolean model", "explain", "after syntax"])
def test_no_path_ignores_a_faulty_reading(path, request):
    def embed(texts):
        return np.ones((len(texts), 2), np.float32)

    paths = {
        "vectors": lambda: boolattn.signed_vectors([QUERY], embed, reader=FAULTY),
        "read": lambda: boolattn.read(QUERY, reader=FAULTY),
        "plan": lambda: request.getfixturevalue("searcher").plan(QUERY),
        "search": lambda: request.getfixturevalue("searcher").search(QUERY),
        "Boolean model": lambda: request.getfixturevalue("by_rules").encode_query(QUERY, reader=FAULTY),
        "explain": lambda: boolattn.explain(request.getfixturevalue("plain"), QUERY, reader=FAULTY),
        "after syntax": lambda: boolattn.read(QUERY, reader=FirstOf(SyntaxReader(), FAULTY)),
    }
    with pytest.raises(ValueError, match=re.escape('scopes["not"] names "war", but exclusions does not')):
        paths[path]()


def test_one_faulty_reading_of_a_batch_is_found_and_a_long_query_is_shortened():
    queries = ["war", f"war {'x' * 100}"]
    readings = [caller_reading(queries[0], ["war"]), replace(caller_reading(queries[1], ["war"]), exclusions=())]
    with pytest.raises(ValueError, match=rf"the reader 'faulty 2' read 'war {'x' * 56}\.\.\.' wrongly"):
        ReadingOptions(Returns(readings)).read(queries)


@pytest.mark.parametrize("name", ["learned", "rules", "syntax"])
def test_our_own_readers_would_pass(name):
    own = SyntaxReader() if name == "syntax" else reader_of(name)
    queries = [
        "films NOT war",
        "films without war or love, and not 1990",
        "",
        " ",
        "NOT {",
        "jazz -++",
        "a or b " * 600,
    ]
    for query in queries:
        [reading] = own.read([query])
        assert checked_readings(Returns([reading]), [query]) == [reading]

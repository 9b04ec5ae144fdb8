"""No query takes long or needs much memory."""

import time
from contextlib import suppress

import pytest

import boolattn
from boolattn.reading import limits
from boolattn.reading.caller import caller_reading
from boolattn.reading.learned import load_reader
from boolattn.reading.options import ReadingOptions
from boolattn.reading.plan_builder import atoms_of
from boolattn.reading.rules.rule_reader import read_by_rules
from boolattn.reading.screen import may_exclude
from boolattn.reading.syntax import QuerySyntaxError, SyntaxReader, is_syntax, parse
from tests.query_vectors.rewrite import rewrite

LONG = "films without war, " + "and more about cats " * 300
# One for every kind of rule: cues, scopes, lists, names, quotations, titles, brackets, sides, and their absence.
PIECES = [
    "without war, ", "not ", "why not ", "films and cats ", "cats or dogs, ", '"a" not ', "«a ", "«a» not b and ",
    "'a' or ", "Not A ", "in A B, ", "either ", "no -", "neither a nor b, ", "except A, B, C", "non-war ", "A", ", A",
    " ", ",", "which not ", "that are not about a, ", "which birds do not fly, ", "films not in terms of ( ", ") ",
    "(a) ", "don't mention war. ", "please ignore, ", "a, b and ", "excluding the ones that were not ", "prefer ",
    "any ", "1234 ", "but i ", "what else ", "in addition to a, ", "Saint Kitts and Nevis not b ",
]  # fmt: skip
SYNTAX_PIECES = [
    "a AND ",
    "a OR b NOT c AND ",
    "NOT ",
    "-a ",
    '"a ',
    '"a" ',
    "(a OR b) ",
    "AND(",
    '\\" "',
    "(",
    ")",
    "a ",
]
READINGS = {
    "rules": lambda text: read_by_rules(text).plan(),
    "caller": lambda text: caller_reading(f"{text} zebra", ["zebra"]).plan(),
    "screen": may_exclude,
    "learned": lambda text: load_reader().read([text])[0].plan(),
}


def _syntax(text):
    with suppress(QuerySyntaxError):
        SyntaxReader(always=True).read([text])[0].plan()
    is_syntax(text)


def seconds(read, text):
    """Return the least CPU time of two runs."""
    times = []
    for _ in range(2):
        start = time.thread_time()
        read(text)
        times.append(time.thread_time() - start)
    return min(times)


@pytest.fixture
def _no_limits(monkeypatch):
    monkeypatch.setattr(limits, "LONGEST_QUERY", 10**9)
    monkeypatch.setattr(limits, "MOST_ATOMS", 10**9)


@pytest.mark.usefixtures("_no_limits")
@pytest.mark.parametrize(
    ("name", "piece"),
    [("rules", piece) for piece in PIECES]
    + [(name, piece) for name in ("caller", "screen", "learned") for piece in PIECES[::5]]
    + [("syntax", piece) for piece in SYNTAX_PIECES],
)
def test_time_is_linear_in_the_length(name, piece):
    read = READINGS.get(name, _syntax)
    short, long = ((piece * length)[:length] for length in (1_000, 8_000))
    read(piece)  # loads what is loaded once
    # Eight times the text: 8 is linear, 64 quadratic; the rest is for noise, and for what is too short to time.
    for _ in range(3):
        if seconds(read, long) < 24 * max(seconds(read, short), 1e-4):
            return
    pytest.fail(f"{name} takes {seconds(read, long):.3f} s for 8,000 characters, {seconds(read, short):.4f} for 1,000")


@pytest.mark.parametrize("reader", ["rules", "learned"])
def test_a_longer_query_is_not_read_and_says_so(reader):
    reading = boolattn.read(LONG, reader=reader)
    assert not reading.operators and reading.source == reader and reading.query == LONG
    assert reading.unread_reason == "it has 6,019 characters; at most 4,096 are read"
    assert reading.to_dict()["unread_reason"] == reading.unread_reason
    assert rewrite(LONG, reader=reader) == (LONG, "")
    assert len(reading.plan().positives[0].text) <= limits.LONGEST_QUERY
    assert boolattn.read(LONG[: limits.LONGEST_QUERY], reader="rules").operators
    assert boolattn.read("films without war", reader=reader).unread_reason == ""


def test_others_in_the_batch_are_read():
    readings = ReadingOptions("rules").read(["films without war", LONG, "films without cats"])
    assert [bool(each.exclusions) for each in readings] == [True, False, True]
    assert [each.query for each in readings] == ["films without war", LONG, "films without cats"]


def test_longer_explicit_syntax_is_refused():
    text = "films NOT war " + "x" * limits.LONGEST_QUERY
    with pytest.raises(QuerySyntaxError, match=r"4,110 characters.*may have 4,096: shorten it"):
        boolattn.read(text, syntax=True)
    assert not is_syntax(text) and boolattn.read(text, reader="rules").unread_reason


MOST = " OR ".join(f"film{number}" for number in range(limits.MOST_ATOMS))


def test_too_many_atoms_in_requested_syntax_are_refused():
    assert len(boolattn.read(MOST, syntax=True).plan().atoms) == limits.MOST_ATOMS
    with pytest.raises(QuerySyntaxError, match="more than 32 parts") as raised:
        boolattn.read(f"{MOST} OR onemore", syntax=True)
    assert raised.value.position == len(f"{MOST} OR ")


@pytest.mark.parametrize("reader", ["rules", "learned"])
def test_too_many_atoms_in_recognised_syntax_are_not_acted_on(reader):
    query = f"{MOST} NOT war"
    readings = ReadingOptions(reader).read([MOST, query, "films NOT war"])
    assert [len(each.plan().atoms) for each in readings] == [limits.MOST_ATOMS, 1, 2]
    plain = readings[1]
    assert (plain.query, plain.operators, plain.exclusions, plain.source) == (query, frozenset(), (), "syntax")
    assert plain.unread_reason == "it has more than 32 parts; at most 32 are acted on"
    assert rewrite(query, reader=reader) == (query, "")


def test_too_many_atoms_in_plain_words_are_not_acted_on(monkeypatch):
    query = "films " + ", ".join(f"without thing{number}" for number in range(40))
    reading = boolattn.read(query, reader="rules")
    assert not reading.exclusions and "more than 32 parts; at most 32" in reading.unread_reason
    monkeypatch.setattr(limits, "MOST_ATOMS", 41)
    assert len(boolattn.read(query, reader="rules").exclusions) == 40


@pytest.mark.parametrize("joins", [" or ", " and ", ", "])
def test_atoms_are_counted_as_cues_cut_the_text(joins, monkeypatch):
    things = joins.join(f"Big Thing{number}" for number in range(30))
    query = f"both {things} and cats, without war, but not in Rome or Bonn"
    monkeypatch.setattr(limits, "MOST_ATOMS", 1000)
    reading = boolattn.read(query, reader="rules")
    atoms = len(list(atoms_of(query, reading.cues, reading.scopes)))
    for most, unread in ((atoms, False), (atoms - 1, True)):
        monkeypatch.setattr(limits, "MOST_ATOMS", most)
        assert bool(boolattn.read(query, reader="rules").unread_reason) == unread


def test_what_a_caller_names_in_a_longer_query_is_refused():
    with pytest.raises(ValueError, match=r"exclude=.*6,019 characters"):
        boolattn.read(LONG, exclude=["war"])
    assert not boolattn.read(LONG, exclude=[]).operators
    words = [f"thing{number}" for number in range(32)]
    with pytest.raises(ValueError, match="at most 32 are acted on: exclude fewer"):
        boolattn.read("films without " + ", ".join(words), exclude=words)


@pytest.mark.parametrize("query", ["films \ud800 without war", "\udfff"])
@pytest.mark.parametrize("options", [{}, {"reader": "rules"}, {"syntax": True}, {"exclude": []}])
def test_half_a_surrogate_pair_is_refused(query, options):
    with pytest.raises(ValueError, match=r"not valid Unicode.*\\ud"):
        boolattn.read(query, **options)


def test_a_parsed_query_counts_each_atom_once():
    assert len(parse("a AND (b OR c) NOT d").atoms) == 4


@pytest.mark.parametrize("piece", ['"a" not ', "without war, ", "(a OR ", "a, b and ", "neither a nor b, ", "not "])
def test_up_to_the_limit_the_time_of_the_rules_grows_no_faster_than_the_query(piece):
    text = (piece * limits.LONGEST_QUERY)[: limits.LONGEST_QUERY]
    rules = ReadingOptions("rules")
    rules.read([piece])
    for _ in range(3):
        half, whole = (
            seconds(lambda part: rules.read([part])[0].plan(), part) for part in (text[: len(text) // 2], text)
        )
        if whole < 3 * half:  # quadratic time would be four times as long
            return
    pytest.fail(f"half the query takes {half:.3f} s, the whole {whole:.3f} s")

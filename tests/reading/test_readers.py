import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import boolattn
from boolattn.reading.options import ReadingOptions
from boolattn.reading.readers import FirstOf, reader_of
from boolattn.reading.rules.rule_reader import RuleReader
from boolattn.reading.screen import Screened
from boolattn.reading.syntax import SyntaxReader

SOURCE = str(Path(boolattn.__file__).parents[1])
QUERIES = ["films AND comedy NOT war", "films without war", "war films"]


def test_the_first_reader_that_finds_an_operator_reads():
    reader = FirstOf(SyntaxReader(), RuleReader())
    assert [reading.reader for reading in reader.read(QUERIES)] == ["syntax 1", "rules 1", "rules 1"]
    assert [reading.query for reading in reader.read(QUERIES)] == QUERIES
    assert reader.name == "syntax 1, then rules 1"
    assert reader.read([]) == []


def test_what_an_earlier_reader_finds_is_not_given_to_a_later_one():
    class Rules(RuleReader):
        def read(self, queries):
            seen.extend(queries)
            return super().read(queries)

    seen = []
    FirstOf(SyntaxReader(), Rules()).read(QUERIES)
    assert seen == QUERIES[1:]


def test_readers_by_name():
    assert reader_of("rules").name == "syntax 1, then rules 1"
    mine = RuleReader()
    assert reader_of(mine) is mine
    assert reader_of(mine, syntax=True).name == "syntax 1"
    with pytest.raises(ValueError, match="no reader 'lexicon': use one of learned, rules"):
        reader_of("lexicon")


@pytest.mark.parametrize(
    ("options", "screened"),
    [
        (ReadingOptions(), True),
        (ReadingOptions("learned"), True),
        (ReadingOptions("rules"), False),
        (ReadingOptions(RuleReader()), False),
        (ReadingOptions(syntax=True), False),
    ],
    ids=["default", "learned", "rules", "a reader object", "syntax"],
)
def test_the_learned_reader_alone_is_screened_and_only_where_exclusions_alone_matter(options, screened):
    found = [reader_of(options.reader, options.syntax, screen=screen) for screen in ("exclusions", None)]
    assert [isinstance(each, Screened) for each in found] == [screened, False]


def test_reading_needs_nothing_outside_the_standard_library():
    code = (
        "import sys; from boolattn.reading.options import ReadingOptions; "
        "assert ReadingOptions(reader='rules').read(['films without war'])[0].plan().negatives; "
        "print(sorted({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)))"
    )
    command = [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {SOURCE!r}); {code}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['__main__', 'boolattn']"


# Letters alone seldom make a cue; pieces of queries do.
_CUES = ["not", "NOT", "AND", "OR", "but", "without", "no", "nor", "or", "and", "except", "either", "non-", "don't"]
_BETWEEN = ["war", "films", "two", " ", " ", ",", ":", "{", '"', "(", ")", "-", ".", "?", "é"]


@given(st.text(max_size=80) | st.lists(st.sampled_from(_CUES + _BETWEEN), max_size=12).map("".join))
@example(":NOT{")
def test_no_text_is_refused(text):
    (reading,) = reader_of("rules").read([text])
    spans = [span for each in (reading.cues, reading.scopes) for name in each for span in each[name]]
    assert all(0 <= span.start <= span.end <= len(text) for span in spans)
    plan = reading.plan()
    assert bool(plan.negatives) == bool(reading.exclusions) or not plan.positives


OPTIONS = ReadingOptions(reader="rules")


def excluded(*readings):
    return [[each.span.of(reading.query) for each in reading.exclusions] for reading in readings]


def test_callers_say_what_each_query_excludes():
    queries = ["films about war and love", "films without war", "war films"]
    assert excluded(*OPTIONS.read(queries, [["war", "love"], None, "films"])) == [["war", "love"], ["war"], ["films"]]
    assert excluded(*OPTIONS.read(queries, [])) == [[], [], []]
    assert excluded(*OPTIONS.read(queries[:1], ["war", "love"])) == [["war", "love"]]
    assert [reading.source for reading in OPTIONS.read(queries, [[], None, []])] == ["caller", "rules", "caller"]


def test_too_few_entries_and_a_text_in_the_place_of_a_list_are_errors():
    with pytest.raises(ValueError, match="2 queries, but exclude= has 1 entries: pass one list of words per query"):
        OPTIONS.read(["a", "b"], [["a"]])
    with pytest.raises(TypeError, match=r"write exclude=\['war'\]"):
        OPTIONS.read(["war"], "war")


def test_options_decide_what_is_acted_on():
    query = "films that are not comedies, without war"
    (reading,) = OPTIONS.read([query])
    assert excluded(OPTIONS.applied(reading)) == [["war"]]
    assert excluded(OPTIONS.changed(documents="things").applied(reading)) == [["comedies", "war"]]
    assert excluded(OPTIONS.changed(act=False).applied(reading)) == [[]]
    assert OPTIONS.changed(documents=None, act=None) == OPTIONS


def test_unknown_options_are_errors():
    with pytest.raises(ValueError, match="documents is 'films'"):
        ReadingOptions(documents="films")
    with pytest.raises(ValueError, match="strictness is 'lax'"):
        ReadingOptions(strictness="lax")


def test_with_syntax_every_query_is_read_as_syntax():
    assert excluded(*ReadingOptions(syntax=True).read(["jazz -swing", "films without war"])) == [["swing"], []]


def test_a_text_is_not_taken_for_a_list_of_queries():
    with pytest.raises(TypeError, match=r"write \['films but not war'\]"):
        boolattn.signed_vectors("films but not war", len)
    with pytest.raises(TypeError, match="read takes one query"):
        boolattn.read(["films but not war"])


def test_the_wrappers_of_a_named_reader_are_built_once():
    for name in (None, "learned", "rules"):
        for screen in (None, "exclusions", "conditions"):
            assert reader_of(name, screen=screen) is reader_of(name, screen=screen)

"""What is seen, what is applied, and why the rest is not: one decision, with the number that made it."""

import pytest

import boolattn
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Reading
from tests.reading.fixed_reader import THRESHOLDS, FixedReader

PROPERTY = "films that are not comedies"
TOPIC = "movies set in Vietnam but not about war"


def test_a_topic_is_applied_and_the_plan_shows_it():
    reading = boolattn.read(TOPIC)
    [decision] = reading.decisions
    assert decision.is_applied and decision.confidence >= decision.needed == reading.thresholds["pages"]["safe"]
    assert reading.applied == reading.exclusions and reading.not_applied == () and reading.remarks == []
    assert str(reading.plan()) == "movies set in Vietnam NOT war"


def test_a_property_is_seen_and_applied_to_things_alone():
    pages, things = boolattn.read(PROPERTY), boolattn.read(PROPERTY, documents="things")
    assert str(pages.plan()) == PROPERTY and str(things.plan()) == "films NOT comedies"
    assert [each.exclusion for each in pages.not_applied] == list(pages.exclusions) == list(things.applied)
    [remark] = pages.remarks
    needed = pages.thresholds["pages"]["safe"]
    assert remark.startswith('Not applied: "comedies": seen at 0.') and f"safe needs {needed:.2f} for pages" in remark
    assert "documents='things' or exclude=['comedies'] applies it" in remark


@pytest.mark.parametrize("strictness", THRESHOLDS["pages"])
def test_the_strictness_that_would_apply_an_exclusion_is_named(strictness):
    sure = FixedReader("love", confidence=0.3)
    reading = boolattn.read("love stories", reader=sure, strictness=strictness)
    if strictness == "safe":
        assert "seen at 0.30; safe needs 0.45 for pages: strictness='balanced' or" in reading.remarks[0]
    else:
        assert reading.remarks == [] and reading.applied


def test_what_is_just_below_the_threshold_does_not_look_as_if_it_reached_it():
    for confidence, shown in ((0.449, "0.44"), (0.29, "0.29"), (0.4, "0.40")):
        reading = boolattn.read("love stories", reader=FixedReader("love", confidence=confidence))
        assert f"seen at {shown}; safe needs 0.45 for pages" in reading.remarks[0]


def test_what_is_advised_is_what_applies_it():
    for reader, query in (
        ("learned", PROPERTY),
        ("rules", PROPERTY),
        (FixedReader("love", confidence=0.2), "love war"),
    ):
        [decision] = boolattn.read(query, reader=reader).not_applied
        named = decision.exclusion.span.of(query)
        assert f"exclude=[{named!r}] applies it" in decision.why_not
        assert boolattn.read(query, reader=reader, exclude=[named]).applied


def test_without_acting_everything_says_so():
    options = ReadingOptions(act=False)
    reading = options.decided(options.read([TOPIC])[0])
    assert reading.applied == () and "act is off" in reading.remarks[0]
    assert str(reading.plan()) == TOPIC


def test_what_is_decided_is_what_the_vectors_act_on():
    for query in (TOPIC, PROPERTY, "films"):
        for documents in ("pages", "things"):
            options = ReadingOptions(documents=documents)
            [seen] = options.read([query])
            assert options.applied(seen).exclusions == options.decided(seen).applied
            assert options.applied(options.decided(seen)) == options.applied(seen)


def test_a_decided_reading_as_json_has_the_number_that_decided():
    reading = boolattn.read(PROPERTY)
    [found] = reading.to_dict()["exclusions"]
    needed = reading.thresholds["pages"]["safe"]
    assert (found["text"], found["applied"], found["needed"]) == ("comedies", False, needed)
    assert f"seen at {found['confidence']:.2f}" in found["why_not"]
    [found] = boolattn.read(TOPIC).to_dict()["exclusions"]
    assert found["applied"] and "why_not" not in found


@pytest.mark.parametrize(
    ("query", "cue", "excluded"),
    [
        ("films without war", "without", "war"),
        ("hotels with no pool", "no", "pool"),
        ("why isn't my phone charging", "isn't", "my phone charging"),
        ("how to say no", "no", ""),
        (f"songs without {'la ' * 70}", "without", ""),
    ],
    ids=["an exclusion that is missed", "no", "a question", "nothing follows", "more than a caller may exclude"],
)
def test_a_negation_that_excludes_nothing_is_remarked_on(query, cue, excluded):
    [remark] = boolattn.read(query, reader=FixedReader()).remarks
    told = f'Nothing is excluded: the reader takes "{cue}" for part of what is asked'
    assert remark == told + (f'; exclude={[excluded]} excludes "{excluded}".' if excluded else ".")
    if excluded:
        advised = boolattn.read(query, exclude=[excluded])
        assert advised.applied and advised.remarks == []


@pytest.mark.parametrize("query", ["drop in sink", "weather in Hanoi", "no longer at ease", "the band Sans Souci", ""])
def test_an_ordinary_query_gets_no_lecture(query):
    assert boolattn.read(query).remarks == []


@pytest.mark.parametrize(
    ("query", "cue", "text"),
    [
        ("egg-less pancakes", "less", "egg"),
        ("nut-free bars", "free", "nut"),
        ("dairy free mac and cheese", "free", "dairy"),
    ],
)
def test_what_is_asked_for_free_of_something_is_remarked_on_if_the_reader_excludes_nothing(query, cue, text):
    reading = ReadingOptions(reader=FixedReader()).decided(Reading.plain(query, "learned", "fixed"))
    assert reading.kept_negation == {"cue": cue, "text": text}


@pytest.mark.parametrize("query", ["movies free online", "toll-free number", "wireless mouse"])
def test_other_words_with_free_or_less_are_not_remarked_on(query):
    reading = ReadingOptions(reader=FixedReader()).decided(Reading.plain(query, "learned", "fixed"))
    assert reading.remarks == []


def test_what_the_caller_decides_and_what_nobody_decided_is_not_remarked_on():
    query = "films without war"
    assert boolattn.read(query, exclude=[]).remarks == []
    assert ReadingOptions().read([query])[0].remarks == []
    [remark] = boolattn.read("not " + "x" * 5000).remarks
    assert remark.startswith("Not read: ")


def test_a_decided_reading_as_json_has_the_remarks_and_the_negation_that_excludes_nothing():
    found = boolattn.read("films without war", reader=FixedReader()).to_dict()
    assert found["remarks"] == boolattn.read("films without war", reader=FixedReader()).remarks != []
    assert found["kept_negation"] == {"cue": "without", "text": "war"}
    for query in (TOPIC, "weather in Hanoi"):
        found = boolattn.read(query).to_dict()
        assert found["remarks"] == [] and "kept_negation" not in found
    assert "remarks" not in ReadingOptions().read([TOPIC])[0].to_dict()

import pytest

from boolattn.reading.syntax import QuerySyntaxError, SyntaxReader, is_syntax


def read(query, always=False):
    return SyntaxReader(always).read([query])[0]


def texts(query, spans):
    return [span.of(query) for span in spans]


@pytest.mark.parametrize(
    "text",
    [
        "films AND comedy NOT war",
        "A OR b",
        "NOT (war OR love)",
        '"rock" OR "jazz"',
        "films AND NOT war",
        'comedy OR "science fiction" -war',
        "\u7535\u5f71 AND \u559c\u5267",
    ],
)
def test_unmistakable_syntax_is_recognised(text):
    assert is_syntax(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "movies but not war",
        "cats and dogs or fish",
        "post-war films",
        "films -war",
        'jazz -"big band"',
        "find -name *.jks",
        "Why is `find -name *.jks` not returning some files?",
        "chmod -R 000 /bin",
        "-40 F in Celsius",
        "Titicaca -järvi",
        "films from 1990 -2000",
        "Paris - Texas",
        '"No Country for Old Men"',
        '"this AND that"',
        'NOT "war"',
        "films (NOT (war))",
        "films (1999)",
        "(films AND comedy",
        "films AND AND comedy",
        "BEST FILMS AND BOOKS NOT WAR",
        "NASA OR ESA",
        "films that are NOT long",
        "movies but NOT war",
        "revolving around a line NOT an axis",
        "Retrieve all posts within tag OR category?",
        "hotels in Portland, OR with gardens",
        "hotels in Portland OR",
        "Portland (OR) hotels",
        "hotels (Portland OR) with gardens",
        "OR textbooks",
        "NOT gate",
        "CMOS NOT gate",
        "how does an AND gate work",
        "difference between AND and OR",
        "ANDROID phones",
    ],
)
def test_everything_else_is_plain_words(text):
    assert not is_syntax(text)
    reading = read(text)
    assert (reading.operators, reading.exclusions, reading.tree) == (frozenset(), (), None)


def test_a_reading_of_syntax_is_exact():
    query = "films AND (comedy OR drama) NOT war"
    reading = read(query)
    assert reading.operators == {"and", "or", "not"}
    assert texts(query, reading.scopes["and"]) == ["films", "comedy", "drama"]
    assert texts(query, reading.scopes["or"]) == ["comedy", "drama"]
    assert texts(query, reading.scopes["not"]) == ["war"]
    (exclusion,) = reading.exclusions
    assert (exclusion.span.of(query), exclusion.kind, exclusion.confidence) == ("war", "topic", 1.0)
    assert str(reading.plan()) == query
    assert (reading.confidence, reading.source, reading.reader) == (1.0, "syntax", "syntax 1")


def test_text_between_atoms_is_not_wanted():
    query = "films AND comedy NOT war"
    assert "".join(texts(query, read(query).cues["not"])).split() == ["AND", "NOT"]


def test_without_an_exclusion_there_is_no_not():
    reading = read("films AND comedy")
    assert (reading.operators, reading.cues["not"], reading.exclusions) == ({"and"}, (), ())
    assert read("films NOT war").operators == {"not"}


def test_requested_syntax_may_be_a_minus_or_a_quoted_phrase():
    query = 'jazz -"big band"'
    assert texts(query, [each.span for each in read(query, always=True).exclusions]) == ["big band"]
    assert read('"rock and roll"', always=True).plan().positives[0].text == "rock and roll"
    assert read("movies but not war", always=True).operators == frozenset()


def test_requested_syntax_must_parse():
    with pytest.raises(QuerySyntaxError, match="never closed"):
        read("films AND (comedy", always=True)

import pytest

from boolattn.reading.rules.rule_reader import read_by_rules

TOPICS = {
    "movies set in Vietnam but not about war": "war",
    "sleep aids that don't contain melatonin": "melatonin",
    "python web frameworks other than django": "django",
    "aside from the United States, which countries use Fahrenheit": "the United States",
    "papers on transformers, not about vision": "vision",
    "turkey the country not the bird": "the bird",
    "films that aren\u2019t about war": "war",
    "films without war": "war",
}
PROPERTIES = {
    "restaurants that are not open on Sunday": "open on Sunday",
    "films that are not comedies": "comedies",
    "films that aren\u2019t long": "long",
    "novels by women that were not published in English": "English",
    "packages that don't need a graphical interface": "a graphical interface",
    "which clergyman is not the head of a monastery but holds an honorary title": "the head of a monastery",
    "mammals of Europe not found in Britain": "Britain",
    "US states that do not tax pensions": "tax pensions",
    "people who have never been president": "president",
    "journals not indexed in scopus": "indexed in scopus",
}


@pytest.mark.parametrize("query", [*TOPICS, *PROPERTIES])
def test_negated_facts_are_properties_and_the_rest_topics(query):
    (exclusion,) = read_by_rules(query).exclusions
    excluded = (TOPICS | PROPERTIES)[query]
    assert (exclusion.span.of(query), exclusion.kind) == (excluded, "topic" if query in TOPICS else "property")

import time

import pytest

from boolattn.reading.reading import Reading
from boolattn.reading.screen import Screened, may_combine, may_exclude


@pytest.mark.parametrize(
    "query",
    [
        "laptop no touchscreen",
        "hotels in Rome but nothing near the station",
        "films that aren't comedies",
        "films that aren\u2019t comedies",
        "lasanga with out ricotta",
        "all Jane Austen novels exept Emma",
        "vitamin c wihtout zinc",
        "jaguar -car",
        '"apple pie" -"apple inc"',
        "country != UK",
        "SMOOTHIES WITHOUT BANANA",
        "fed up with jira",
        "Forget penthouses, show me family apartments",
        "we already have Catan, what next",
        "vinaigrette over mayo coleslaw",
    ],
)
def test_it_lets_exclusions_through(query):
    assert may_exclude(query)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "weather in paris",
        "i have beef and carrots, what soup can i make?",  # what they have is wanted
        "who wrote the origin of species",
        "best t-shirt printer",
        "e-mail client for mac - download",
        "What is the capital of Peru?",
        "movie - detroit - cast",
        "Kuka näytteli Aku Ankkaa?",
        "2019-2020 season",
        "cabinet over toilet",
        "headphones over ears",
    ],
)
def test_it_stops_queries_without_exclusion_words(query):
    assert not may_exclude(query)


@pytest.mark.parametrize(
    "query",
    [
        "cookies with walnuts or raisins",
        "soup with carrots and celery",
        "nurse jobs in leeds or bradford",
        "lamp with usb port as well as dimmer",
        "can you recommend films with Tom Hanks and Meg Ryan?",
        "which laptops have a touchscreen and a numeric keypad",
        "waterproof & windproof jacket",
    ],
)
def test_it_lets_conditions_through(query):
    assert may_combine(query)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "weather in paris",
        "chicken and rice soup",
        "potatoes with salt and pepper",
        "Romeo and Juliet",
        "michigan department of management and budget",
        "what is the difference between a moth and a butterfly",
        "Which genus has more species, Quesnelia or Honeysuckle?",
        "relationship between stress and sleep",
        "how to cook and freeze beans",
        "whether or not to refrigerate eggs",
        "trick or treat",
    ],
)
def test_it_stops_names_and_questions(query):
    assert not may_combine(query)


class _Asked:
    name = "asked 1"

    def __init__(self):
        self.queries = []

    def read(self, queries):
        self.queries += queries
        return [Reading.plain(query, "rules", self.name) for query in queries]


def test_a_screened_reader_only_reads_queries_that_may_exclude_something():
    asked = _Asked()
    readings = Screened(asked).read(["weather", "no onions", "films", "tea without milk"])
    assert asked.queries == ["no onions", "tea without milk"]
    assert [reading.query for reading in readings] == ["weather", "no onions", "films", "tea without milk"]
    assert {reading.reader for reading in readings} == {"asked 1"} == {Screened(asked).name}


def test_a_search_also_reads_queries_that_may_combine_things():
    asked = _Asked()
    Screened(asked, "conditions").read(["weather", "tea with milk or lemon", "tea without milk", "chicken and rice"])
    assert asked.queries == ["tea with milk or lemon", "tea without milk"]


def test_ordinary_queries_are_never_read():
    asked = _Asked()
    Screened(asked).read(["weather", "films"])
    assert asked.queries == []


@pytest.mark.parametrize("screen", [may_exclude, may_combine])
def test_time_grows_with_the_length_and_no_faster(screen):
    def seconds(query):
        times = []
        for _ in range(10):
            start = time.thread_time()  # not of other processes
            screen(query)
            times.append(time.thread_time() - start)
        return min(times)

    for words in ("prefer the ", "different so ", "aaaa ", "don ", "(((", "over x ", "a and b ", "with a or "):
        assert seconds(words * 16_000) < 24 * seconds(words * 2_000)

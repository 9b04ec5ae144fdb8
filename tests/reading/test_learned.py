"""The shipped reader. A better reader must pass these tests too."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from boolattn.reading.learned import READERS, load_reader
from boolattn.reading.readers import reader_of
from boolattn.reading.reading import exclusions_to_apply


def _excluded(query, documents="pages"):
    (reading,) = reader_of("learned").read([query])
    return [each.span.of(query) for each in exclusions_to_apply(reading, documents)]


@pytest.mark.parametrize(
    "query, excluded",
    [
        ("movies set in Vietnam but not about war", ["war"]),
        ("python web frameworks other than django", ["django"]),
        ("pasta recipes without mushrooms or cream please", ["mushrooms", "cream"]),
        ("Apart from Mars, which planets have two moons?", ["Mars"]),
        ("Describe the life of Marie Curie, but don't mention Pierre Curie.", ["Pierre Curie"]),
    ],
)
def test_it_reads_what_is_excluded(query, excluded):
    assert _excluded(query) == excluded


@pytest.mark.parametrize(
    "query",
    [
        "301 redirect www to non-www",
        "Why is `find -name *.jks` not returning some files?",
        "How to recover from a chmod -R 000 /bin?",
        "treating tension headaches without medication",
        "PCA on non-centered data",
        "I don't want my facebook account any more how do I delete it",
        "How to make text crossed out in gmail?",
        "no churn ice cream mango",
        "price excluding VAT calculator",
        "excel formula not calculating automatically",
        "wifi connected but no internet",
        "phone without contract",
        "Titicaca -järvi",
        "-40 F in Celsius",
    ],
)
def test_it_leaves_alone_what_excludes_nothing(query):
    assert _excluded(query) == []


def test_a_property_is_acted_on_over_things_alone():
    query = "films that are not comedies"
    assert _excluded(query, "things") == ["comedies"] and _excluded(query, "pages") == []


def test_it_reads_and_and_or():
    (reading,) = load_reader().read(["novels set in Norway or Sweden"])
    assert "or" in reading.operators
    assert [span.of(reading.query) for span in reading.cues["or"]] == ["or"]


def test_nothing_breaks_it():
    queries = [
        "",
        " ",
        "?",
        "\u0000",
        "\u4e0d\u8981 \u6218\u4e89",
        "not " * 5000,
        "a" * 10_000,
        "\U0001f3ac not \U0001f4a5",
    ]
    readings = load_reader().read(queries)
    assert [reading.query for reading in readings] == queries


def test_order_and_company_do_not_matter_and_threads_agree():
    queries = [f"films about {word} but not about war" for word in ("love", "space and time", "x " * 40)] * 8
    alone = [load_reader().read([query])[0].scopes for query in queries]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda query: load_reader().read([query])[0].scopes, queries))
    assert together == alone
    assert [reading.scopes for reading in load_reader().read(queries)] == alone


def test_it_has_a_name_and_survives_pickling():
    reader = load_reader()
    assert reader.read(["no war"])[0].reader == reader.name
    assert pickle.loads(pickle.dumps(reader)).name == reader.name


def test_it_is_small_enough_to_ship():
    assert sum(path.stat().st_size for path in (READERS / "english").iterdir()) < 26e6

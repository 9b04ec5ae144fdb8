"""The shipped reader. A better reader must pass these tests too."""

import pickle
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import boolattn
from boolattn.reading.learned import READERS, Calibration, LearnedReader, ReaderCard, ReaderFileError, load_reader
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


@pytest.mark.parametrize("query, plan", [("pasta without nuts", "pasta NOT nuts"), ("soup no cream", "soup NOT cream")])
def test_no_plan_asks_for_the_words_that_express_an_exclusion(query, plan):
    assert str(boolattn.read(query, documents="things").plan()) == plan


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


LONG = "I am looking for something to watch with my family on Friday night after we have eaten. " * 8


@pytest.mark.parametrize("before", ["", LONG])
@pytest.mark.parametrize("after", ["", LONG])
def test_an_exclusion_is_found_wherever_it_is_in_a_long_query(before, after):
    assert _excluded(f"{before}Movies set in Vietnam, other than war films, please. {after}") == ["war films"]


def test_a_long_query_keeps_what_the_first_window_says():
    query = "python web frameworks other than django"
    [short], [long] = (load_reader().read([each])[0].exclusions for each in (query, f"{query}. {LONG}"))
    assert short.span == long.span


def test_a_calibration_turns_outputs_into_confidences():
    assert Calibration().confidence(0.8) == pytest.approx(0.8)
    assert Calibration(0.5, -2).confidence(0.5) == pytest.approx(1 / (1 + np.exp(2)))
    assert 0 < Calibration(3, 0).confidence(0.0) < Calibration(3, 0).confidence(1.0) <= 1


def test_a_card_without_what_both_kinds_of_documents_need_is_refused():
    with pytest.raises(ValueError, match="a threshold for each of safe, balanced, sensitive"):
        Calibration(thresholds={"safe": 0.5})
    with pytest.raises(ValueError, match="the reader mine needs a calibration for each of things, pages"):
        ReaderCard("mine", "1", {"things": Calibration()})
    with pytest.raises(ValueError, match="must be finite"):
        Calibration(float("nan"))


def test_the_card_of_an_older_version_is_refused(tmp_path):
    (tmp_path / "reader.json").write_text('{"name": "mine", "version": "1", "calibration": [1.0, 0.0]}')
    with pytest.raises(ReaderFileError, match="of an older version: get the reader again"):
        LearnedReader.load(tmp_path)


def test_every_source_that_trained_the_shipped_reader_permits_it():
    recipe = load_reader().card.training["recipe"]
    assert set(recipe["sources"]) | {"start"} == set(recipe["licences"])
    refused = re.compile(r"research|none? (?:licence )?stated|no licence|own terms", re.IGNORECASE)
    assert [name for name, licence in recipe["licences"].items() if refused.search(licence)] == []

"""The figures of a reader, against counts done by hand."""

import pytest

from boolattn.reading.reading import Exclusion, Reading
from boolattn.reading.spans import Span
from boolattn_lab.benchmarks.reading_scores import judge, reading_scores, words_in
from boolattn_lab.formats import QueryLabels
from tests.reading.fixed_reader import THRESHOLDS


def read(query: str, *found: tuple[str, str, float], source: str = "learned") -> Reading:
    exclusions = []
    for text, kind, confidence in found:
        start = query.index(text)
        exclusions.append(Exclusion(Span(start, start + len(text)), kind, confidence))
    return Reading(query, frozenset(), {}, {}, tuple(exclusions), 1.0, source, "test 1", thresholds=THRESHOLDS)


def scores(*rows, documents="pages", strictness="safe"):
    judged = [judge(labels, read(labels.query, *found), documents, strictness) for labels, *found in rows]
    return reading_scores(judged)


PASTA = QueryLabels("pasta bake no blue cheese please", ("blue cheese",))
RICE = QueryLabels("rice without a rice cooker", ())
SOUP = QueryLabels("soup, not tomato", ("tomato",))


def test_counts_are_per_query_and_soft_rows_count_neither_way():
    soft = QueryLabels("phone without contract", ("contract",), soft=True)
    found = scores(
        (PASTA, ("blue cheese", "topic", 1.0), ("please", "topic", 1.0)),
        (RICE, ("rice cooker", "topic", 1.0)),
        (QueryLabels("bread", ()),),
        (SOUP,),
        (soft, ("contract", "topic", 1.0)),
    )
    assert found.figures == {
        "queries": 5,
        "read": 3,
        "share_read": 0.6,
        "firm": 4,
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
        "false_alarms": 1,
        "scope_f1": pytest.approx(2 * 2 / (2 + 3)),
        "scope_exact": 0.0,
    }
    assert not found.confusion


def test_scopes_are_compared_by_words_over_all_true_positives():
    found = scores(
        (PASTA, ("cheese", "topic", 1.0)),
        (QueryLabels('films, no "Horror".', ("Horror",)), ('"Horror".', "topic", 1.0)),
        (RICE, ("rice cooker", "topic", 1.0)),
        (SOUP,),
    )
    assert found.figures["scope_f1"] == pytest.approx(2 * (1 + 1) / ((1 + 2) + (1 + 1)))


def test_words_that_are_not_labelled_are_wrong():
    assert scores((PASTA, ("pasta bake", "topic", 1.0))).figures["scope_f1"] == 0.0


def test_an_article_does_not_make_a_scope_wrong():
    watch = QueryLabels("presents besides a nice watch", ("a nice watch",))
    for text, exact in (("nice watch", 1.0), ("a nice watch", 1.0), ("watch", 0.0), ("besides a nice watch", 0.0)):
        assert scores((watch, (text, "topic", 1.0))).figures["scope_exact"] == exact


def test_either_place_of_a_repeated_label_is_right():
    labels = QueryLabels("a title of the actor other than actor", ("actor",))
    last = judge(labels, read(labels.query, ("than actor", "topic", 1.0)))
    assert reading_scores([last]).figures["scope_f1"] == pytest.approx(2 / 3), "'than' is the only wrong word"


def test_words_are_runs_between_spaces_without_punctuation_around_them():
    assert words_in("(non-dairy), milk - AT&T!", [Span(5, 10), Span(12, 100)]) == {"non-dairy": 1, "milk": 1, "at&t": 1}


def test_without_readings_or_positives_shares_are_unknown():
    nothing_read = scores((SOUP,), (RICE,)).figures
    assert nothing_read["precision"] is None
    assert (nothing_read["recall"], nothing_read["f1"], nothing_read["scope_f1"]) == (0.0, 0.0, None)
    assert scores((RICE,)).figures["recall"] is None


def test_unlabelled_queries_are_only_counted():
    found = scores((QueryLabels("soup, not tomato"), ("tomato", "topic", 1.0)), (QueryLabels("soup"),))
    assert found.figures == {"queries": 2, "read": 1, "share_read": 0.5}


def test_confidence_below_the_threshold_is_not_read():
    row = (SOUP, ("tomato", "topic", THRESHOLDS["pages"]["balanced"]))
    assert scores(row).figures["recall"] == 0.0
    assert scores(row, strictness="balanced").figures["recall"] == 1.0


TOPIC = QueryLabels("cakes, not chocolate", ("chocolate",), kind="topic")
PROPERTY = QueryLabels("birds that cannot fly", ("fly",), kind="property")
NONE = QueryLabels("rice without a cooker", (), kind="none")


def test_a_property_counts_over_things_only():
    rows = [
        (TOPIC, ("chocolate", "topic", 1.0)),
        (PROPERTY, ("fly", "property", 1.0)),
        (NONE, ("cooker", "property", 1.0)),
    ]
    pages, things = scores(*rows).figures, scores(*rows, documents="things").figures
    assert (pages["precision"], pages["recall"], pages["false_alarms"]) == (1.0, 1.0, 0)
    assert (things["precision"], things["recall"], things["false_alarms"]) == (pytest.approx(2 / 3), 1.0, 1)


def test_a_property_read_as_a_topic_is_a_false_alarm_over_pages():
    found = scores((PROPERTY, ("fly", "topic", 1.0)))
    assert found.figures["false_alarms"] == 1
    assert found.figures["kind_accuracy"] == 0.0


def test_kinds_are_compared_on_firm_rows():
    rows = [
        (TOPIC, ("cakes", "property", 1.0), ("chocolate", "topic", 1.0)),
        (PROPERTY, ("fly", "property", 1.0)),
        (PROPERTY,),
        (NONE, ("cooker", "property", 1.0)),
        (QueryLabels("birds, not owls", ("owls",), soft=True, kind="topic"),),
    ]
    for documents in ("pages", "things"):
        found = scores(*rows, documents=documents)
        assert found.figures["kind_accuracy"] == 0.5
        assert found.confusion == {
            "topic": {"topic": 1, "property": 0, "none": 0},
            "property": {"topic": 0, "property": 1, "none": 1},
            "none": {"topic": 0, "property": 1, "none": 0},
        }


def test_intervals_contain_the_figure_and_narrow_with_more_queries():
    rows = [(SOUP, ("tomato", "topic", 1.0))] * 30 + [(SOUP,)] * 10 + [(RICE, ("cooker", "topic", 1.0))] * 30
    few, many = scores(*rows), scores(*rows * 20)
    for name, value in (("precision", 0.5), ("recall", 0.75)):
        assert few.figures[name] == value
        (low, high), (lower, higher) = few.intervals[name], many.intervals[name]
        assert low < lower < value < higher < high

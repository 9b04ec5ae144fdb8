"""Words that a caller excludes are in every engine's query, in the text query or not; weights are ignored."""

import pytest

from boolattn.plans.engine_queries import to_elasticsearch, to_lucene, to_qdrant, to_weaviate
from boolattn.reading.caller import caller_reading

VECTORS = {"pasta": [1.0], "eggs": [2.0], "blue cheese": [3.0]}


@pytest.mark.parametrize("exclude", [["blue cheese", "eggs"], {"eggs": 1, "blue cheese": 2}], ids=["list", "weights"])
def test_words_that_are_not_in_the_query_are_in_the_engines_query(exclude):
    plan = caller_reading("pasta, no eggs", exclude).plan()
    assert to_lucene(plan) == '+pasta -"eggs" -"blue cheese"'
    boosting = to_elasticsearch(plan, "text")["boosting"]
    assert boosting["positive"] == {"match": {"text": "pasta"}}
    assert [each["match_phrase"]["text"] for each in boosting["negative"]["bool"]["should"]] == ["eggs", "blue cheese"]
    assert to_qdrant(plan, VECTORS.__getitem__)["recommend"]["negative"] == [[2.0], [3.0]]
    assert to_weaviate(plan)["moveAwayFrom"]["concepts"] == ["eggs", "blue cheese"]


def test_without_a_query_there_are_only_exclusions():
    assert to_lucene(caller_reading(" ", ["cheese"]).plan()) == '*:* -"cheese"'

"""The stored description of an index records its format."""

import json

import pytest

from boolattn.retrieval.index.description import read, written
from boolattn.retrieval.index.protocol import WrongIndexError
from tests.retrieval.index.films import DESCRIPTION


def test_it_round_trips_with_its_format():
    stored = json.loads(written(DESCRIPTION))
    assert stored["format"] == 1
    assert read(json.dumps(stored), "films") == DESCRIPTION
    del stored["format"]  # as the first versions wrote it
    assert read(json.dumps(stored), "films") == DESCRIPTION
    assert read(json.dumps(stored), "films", b"things").documents == "things"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": 2}, "films is of format 2, and this boolattn reads format 1"),
        ({"dimension": "many"}, "films was not created by boolattn"),
    ],
)
def test_another_format_is_refused(changes, said):
    with pytest.raises(WrongIndexError, match=said):
        read(json.dumps(json.loads(written(DESCRIPTION)) | changes), "films")

"""The stored description of an index records its format."""

import json

import pytest

from boolattn.retrieval.index.description import read, written
from boolattn.retrieval.index.protocol import WrongIndexError
from tests.retrieval.index.films import DESCRIPTION


def test_it_round_trips_with_its_format():
    stored = written(DESCRIPTION)
    assert json.loads(stored)["format"] == 1
    assert read(stored, "films") == DESCRIPTION
    assert read(stored, "films", b"things").documents == "things"


@pytest.mark.parametrize("part", ["format", "checksum"])
def test_a_description_without_its_format_or_checksum_is_refused(part):
    stored = json.loads(written(DESCRIPTION))
    del stored[part]
    with pytest.raises(WrongIndexError, match="films was not created by boolattn"):
        read(json.dumps(stored), "films")


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

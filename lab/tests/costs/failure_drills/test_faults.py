"""Whatever is wrong with an index is counted."""

from dataclasses import replace

import numpy as np
import pytest

from boolattn.retrieval.index.lance.table import table_of
from boolattn.retrieval.index.milvus.schema import entities_of
from boolattn.retrieval.index.open_index import open_index
from boolattn_lab.costs.failure_drills.faults import Faults, faults_of
from tests.retrieval.index.films import DESCRIPTION, YEAR, films

IDS = [str(number) for number in range(50)]
ROWS = films(IDS, metadata=[{YEAR: number} for number in range(50)])


@pytest.fixture
def index(lasting_uri):
    index = open_index(lasting_uri)
    index.create(DESCRIPTION)
    index.upsert(ROWS)
    return index


def changed(place, **columns):
    """Return one document of the rows, with some of its columns changed."""
    one = {name: [getattr(ROWS, name)[place]] for name in ("ids", "titles", "texts", "metadata")}
    return replace(ROWS, **{**one, "vectors": ROWS.vectors[place : place + 1], **columns})


def write_again(index, rows):
    """Write documents a second time, as two writers without a lock would."""
    if hasattr(index, "_table"):
        index._table.add(table_of(rows, DESCRIPTION))
    else:
        index._client.insert(index._name, list(entities_of(rows, DESCRIPTION)))


def test_a_sound_index_has_no_faults(index):
    assert not faults_of(index, ROWS, [*IDS, "former"])


def test_documents_removed_behind_its_back_are_lost(index):
    index.delete(["3", "4", "5"])
    assert faults_of(index, ROWS) == Faults(lost=3)


def test_documents_written_twice_are_duplicated(index):
    write_again(index, changed(7))
    write_again(index, changed(8))
    assert (
        faults_of(index, ROWS).duplicated >= 2
    )  # Milvus, asked for a document that is there twice, may pass over others


@pytest.mark.parametrize(
    "columns",
    [
        {"vectors": np.nextafter(ROWS.vectors[9:10], np.float32(2))},
        {"texts": ["something else"]},
        {"titles": ["something else"]},
        {"metadata": [{YEAR: 1}]},
    ],
    ids=["vector", "text", "title", "metadata"],
)
def test_documents_that_changed_are_wrong(index, columns):
    index.upsert(changed(9, **columns))
    assert faults_of(index, ROWS) == Faults(wrong=1)


def test_documents_that_should_be_gone_are_wrong(index):
    index.upsert(films(["former", "older"], seed=1))
    assert faults_of(index, ROWS, ["former", "older", "3"]) == Faults(wrong=2)

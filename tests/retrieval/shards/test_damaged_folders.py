"""Whatever happens to a folder of vectors or to an index's description: no answer changes unnoticed."""

import json
import shutil
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boolattn.retrieval.index.description import read, written
from boolattn.retrieval.index.fill import UnfinishedIndexError, index_folder
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import WrongIndexError
from boolattn.retrieval.shards.manifest import MANIFEST_FILE, Manifest
from tests.backbones.storage.test_damaged_folders import EXAMPLES, damage
from tests.retrieval.index.films import DESCRIPTION
from tests.retrieval.index.test_fill import encoded, everything, some

SHARDS = [some(0, documents=20), some(1, documents=15)]
FIXTURE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = encoded(tmp_path_factory.mktemp("vectors") / "sound", SHARDS)
    replace(Manifest.read(made), documents_are="things").write(made)
    return made


def answers(folder):
    """Index a folder and return all that a search depends on."""
    index = open_index("memory://")
    index_folder(folder, index, progress=False)
    rows, described = index.fetch(everything(SHARDS).ids), index.describe()
    return index.count(), rows.ids, rows.titles, rows.texts, rows.metadata, rows.vectors.tobytes(), described


@settings(max_examples=EXAMPLES, suppress_health_check=FIXTURE)
@given(data=st.data())
def test_damaged_vectors_are_refused_or_indexed_as_before(data, folder):
    expected, copy = answers(folder), folder.with_name("damaged")
    shutil.copytree(folder, copy)
    try:
        damage(data.draw(st.sampled_from(sorted(copy.iterdir()))), data.draw)
        try:
            found = answers(copy)
        except (ValueError, OSError, UnfinishedIndexError) as error:
            assert str(error) and not isinstance(error, UnicodeError), "an error that says nothing"
        else:
            assert found == expected
    finally:
        shutil.rmtree(copy)


@settings(max_examples=EXAMPLES, suppress_health_check=FIXTURE)
@given(data=st.data())
def test_a_damaged_description_is_refused_or_read_as_before(data, tmp_path):
    described = replace(DESCRIPTION, documents="things")
    path = tmp_path / "description.json"
    path.write_text(written(described))
    damage(path, data.draw)
    try:
        assert read(path.read_bytes() if path.exists() else None, "films") == described
    except WrongIndexError as error:
        assert "films" in str(error)


def test_what_a_manifest_no_longer_says_is_noticed(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    values = json.loads((copy / MANIFEST_FILE).read_text())
    del values["documents_are"]
    (copy / MANIFEST_FILE).write_text(json.dumps(values))
    with pytest.raises(ValueError, match="checksum is not that of its contents"):
        answers(copy)
    del values["checksum"]
    (copy / MANIFEST_FILE).write_text(json.dumps(values))
    with pytest.raises(ValueError, match="checksum is not that of its contents"):
        answers(copy)

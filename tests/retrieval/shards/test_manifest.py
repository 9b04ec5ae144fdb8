"""A manifest round-trips, and one that cannot be trusted is refused, with advice."""

from dataclasses import replace

import pytest

from boolattn.retrieval.shards.manifest import MANIFEST_FILE, BadManifestError, Manifest, Shard

MANIFEST = Manifest(
    model="small",
    fingerprint="abc",
    dimension=4,
    similarity="cosine",
    precision="int8",
    documents=3,
    metadata={"year": "integer"},
    shards=(Shard("shard-00000.parquet", 2, "11"), Shard("shard-00001.parquet", 1, "22")),
)


def test_it_round_trips(tmp_path):
    MANIFEST.write(tmp_path)
    assert Manifest.read(tmp_path) == MANIFEST
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST_FILE]
    replace(MANIFEST, documents_are="things").write(tmp_path)
    assert Manifest.read(tmp_path).description().documents == "things"
    description = replace(MANIFEST, documents_are=None).description()
    assert (description.fingerprint, description.dimension, description.metadata) == ("abc", 4, {"year": "integer"})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"format": 1', '"format": 2', "format 2"),
        ("}", "", "damaged"),
        ('"int8"', '"int4"', "int4"),
        ("shard-00001.parquet", "../x", "names '../x', which is not a file of the folder"),
        ("shard-00001.parquet", "/etc/passwd", "names '/etc/passwd'"),
        ("shard-00001.parquet", "a\\\\b", r"names 'a\\\\b'"),
        ("shard-00001.parquet", "..", "names '..'"),
        ("shard-00001.parquet", "shard-00000.parquet", "names a file twice"),
        ('"documents": 3', '"documents": 4', "shards have 3 documents, not 4"),
        ('"dimension": 4', '"dimension": 0', "its numbers are invalid"),
    ],
)
def test_an_untrustworthy_manifest_is_refused(tmp_path, old, new, said):
    MANIFEST.write(tmp_path)
    path = tmp_path / MANIFEST_FILE
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(BadManifestError, match=said) as refused:
        Manifest.read(tmp_path)
    assert "remove" not in str(refused.value)


def test_a_folder_without_a_manifest_is_unfinished(tmp_path):
    with pytest.raises(BadManifestError, match="boolattn encode CORPUS"):
        Manifest.read(tmp_path)

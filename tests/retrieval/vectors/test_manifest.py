"""A manifest comes back as it was written, and one that cannot be trusted is refused, with advice."""

import pytest

from boolattn.retrieval.vectors.manifest import MANIFEST_FILE, BadManifestError, Manifest, Shard

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


def test_it_comes_back_as_it_was_written(tmp_path):
    MANIFEST.write(tmp_path)
    assert Manifest.read(tmp_path) == MANIFEST
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST_FILE]
    description = Manifest.read(tmp_path).description()
    assert (description.fingerprint, description.dimension, description.metadata) == ("abc", 4, {"year": "integer"})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [('"format": 1', '"format": 2', "format 2"), ("}", "", "damaged"), ('"int8"', '"int4"', "int4")],
)
def test_what_cannot_be_trusted_is_refused(tmp_path, old, new, said):
    MANIFEST.write(tmp_path)
    path = tmp_path / MANIFEST_FILE
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(BadManifestError, match=said):
        Manifest.read(tmp_path)


def test_a_folder_without_one_is_not_finished(tmp_path):
    with pytest.raises(BadManifestError, match="boolattn encode CORPUS"):
        Manifest.read(tmp_path)

"""Shards round-trip to the requested precision, in reproducible bytes."""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from boolattn.retrieval.index.protocol import Rows
from boolattn.retrieval.shards import shard_files
from boolattn.retrieval.shards.shard_files import BadShardError, read_origin, read_shard, write_shard

N, D = 300, 64


@pytest.fixture
def rows() -> Rows:
    vectors = np.random.default_rng(0).standard_normal((N, D)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[7] = 0
    fields = [{"year": 1900 + n, "length": n / 4, "seen": n % 2 == 0, "genre": "Æon, war"} for n in range(N)]
    return Rows([f"d {n}" for n in range(N)], ["", *["A title"] * (N - 1)], ["text \n é"] * N, vectors, fields)


# Of unit vectors in 64 dimensions: half a step of 11 bits below 1/2, half a step of 1/127 of the largest.
@pytest.mark.parametrize(("precision", "error"), [("float32", 0), ("float16", 2**-12), ("int8", 0.5 * 0.6 / 127)])
@pytest.mark.filterwarnings("error")  # a vector of zeros has no largest number to divide by
def test_rows_round_trip(tmp_path, rows, precision, error):
    path = tmp_path / "shard-00000.parquet"
    shard = write_shard(path, rows, precision)
    found = read_shard(path)
    assert (shard.file, shard.documents) == (path.name, N)
    assert shard.sha256 == found.shard == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (found.ids, found.titles, found.texts) == (rows.ids, rows.titles, rows.texts)
    assert found.metadata == rows.metadata
    assert [type(value) for value in found.metadata[2].values()] == [str, float, bool, int]
    assert found.vectors.dtype == np.float32
    largest = np.abs(found.vectors - rows.vectors).max()
    assert largest <= error
    assert precision == "float32" or largest > error / 50, "nothing was rounded"
    assert not found.vectors[7].any()


def test_lower_precision_makes_smaller_files(tmp_path, rows):
    for precision in ("float32", "float16", "int8"):
        write_shard(tmp_path / precision, rows, precision)
    sizes = [(tmp_path / precision).stat().st_size for precision in ("float32", "float16", "int8")]
    assert sizes[1] < 0.65 * sizes[0]
    assert sizes[2] < 0.65 * sizes[1]


@pytest.mark.parametrize("precision", ["float32", "float16", "int8"])
def test_columns_are_those_of_the_format(tmp_path, rows, precision):
    write_shard(tmp_path / "a", rows, precision)
    schema = pq.read_schema(tmp_path / "a")
    scale = ["scale"] if precision == "int8" else []
    assert schema.names == ["id", "title", "text", "metadata", "vector", *scale]
    stored = schema.field("vector").type
    assert (stored.list_size, stored.value_type) == (D, pa.from_numpy_dtype(np.dtype(precision)))


def test_the_same_rows_make_the_same_bytes(tmp_path, rows):
    shuffled = Rows(rows.ids, rows.titles, rows.texts, rows.vectors, [dict(reversed(f.items())) for f in rows.metadata])
    first, second = write_shard(tmp_path / "a", rows, "float32"), write_shard(tmp_path / "b", shuffled, "float32")
    assert first.sha256 == second.sha256
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}, "nothing is left aside"


def test_the_origin_is_kept(tmp_path, rows):
    write_shard(tmp_path / "a", rows, "int8", "made by hand")
    assert read_origin(tmp_path / "a") == "made by hand"


def test_a_shard_is_checked_before_it_is_parsed(tmp_path, rows, monkeypatch):
    shard = write_shard(tmp_path / "a", rows, "float32")
    assert read_shard(tmp_path / "a", shard.sha256).shard == shard.sha256
    monkeypatch.setattr(shard_files, "read_table", lambda content: pytest.fail("it was parsed"))
    with pytest.raises(BadShardError, match="is not the file that the manifest names"):
        read_shard(tmp_path / "a", "0" * 64)


def test_an_unreadable_shard_is_not_mistaken_for_a_damaged_one(tmp_path, rows):
    (tmp_path / "a").mkdir()
    for read in (read_shard, read_origin):
        with pytest.raises(IsADirectoryError):
            read(tmp_path / "a")


def test_a_damaged_shard_is_reported(tmp_path, rows):
    path = tmp_path / "a"
    write_shard(path, rows, "float32")
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    with pytest.raises(BadShardError, match="boolattn encode again"):
        read_shard(path)
    path.write_bytes(whole[:-100])
    for read in (read_shard, read_origin):
        with pytest.raises(BadShardError, match="boolattn encode again"):
            read(path)

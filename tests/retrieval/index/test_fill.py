"""A folder is indexed completely and exactly once, despite interruptions."""

import random
import subprocess
import sys
import time
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from boolattn.cli import app
from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.fill import Indexed, ManyRemovalsError, UnfinishedIndexError, _verify, index_folder
from boolattn.retrieval.index.lance.table import table_of
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import Rows, WrongIndexError
from boolattn.retrieval.shards.manifest import Manifest
from boolattn.retrieval.shards.shard_files import BadShardError, read_shard, write_shard
from tests.retrieval.index.films import films, same

SHARDS, DOCUMENTS = 5, 120
CALLS = 6 + 3 * SHARDS + 5  # of the index, in a run from the beginning to the end
KILLS = {"lance": 3, "milvus": 1}  # Milvus takes long; boolattn-lab chaos kills more


def encoded(folder: Path, shards: list[Rows], fingerprint: str = "0123abcd") -> Path:
    """Write a folder as ``boolattn encode`` does."""
    folder.mkdir(exist_ok=True)
    written = tuple(write_shard(folder / f"shard-{n:05}.parquet", rows, "float32") for n, rows in enumerate(shards))
    Manifest(
        model="a model",
        fingerprint=fingerprint,
        dimension=4,
        similarity="cosine",
        precision="float32",
        documents=sum(map(len, shards)),
        metadata={"year": "integer"},
        shards=written,
    ).write(folder)
    return folder


def some(shard: int, *, seed: int = 0, documents: int = DOCUMENTS) -> Rows:
    ids = [f"{shard}/{n}" for n in range(documents)]
    return films(ids, seed=100 * seed + shard, metadata=[{"year": n} for n in range(documents)])


def everything(shards: list[Rows]) -> Rows:
    def joined(name):
        return list(chain.from_iterable(getattr(rows, name) for rows in shards))

    vectors = np.concatenate([rows.vectors for rows in shards])
    return Rows(joined("ids"), joined("titles"), joined("texts"), vectors, joined("metadata"))


def holds(uri: str, shards: list[Rows]) -> bool:
    """Whether an index contains exactly these documents."""
    index, expected = open_index(uri), everything(shards)
    return index.count() == len(expected) and same(index.fetch(expected.ids), expected)


def test_indexed_again_and_changed(tmp_path, index_uri):
    shards = [some(n) for n in range(3)]
    folder, index = encoded(tmp_path / "encoded", shards), open_index(index_uri)
    assert index_folder(folder, index, progress=False) == Indexed(360, 360, 0)
    assert holds(index_uri, shards)
    assert index.shards() == {shard.sha256: 120 for shard in Manifest.read(folder).shards}
    assert index_folder(folder, index, progress=False) == Indexed(360, 0, 0)
    # The second shard changes and loses documents, the third goes.
    shards = [some(0), some(1, seed=1, documents=100)]
    encoded(folder, shards)
    with pytest.raises(ManyRemovalsError, match="has 360 documents, and 140 of them are not in the folder"):
        index_folder(folder, index, progress=False)
    assert index.count() == 360, "nothing was written"
    assert index_folder(folder, index, remove=True, progress=False) == Indexed(220, 100, 140)
    assert holds(index_uri, shards)
    # Documents went missing since.
    index.delete(["0/7", "0/8"])
    assert index_folder(folder, index, progress=False) == Indexed(220, 120, 0)
    assert holds(index_uri, shards)
    with pytest.raises(WrongIndexError, match="fingerprint"):
        index_folder(encoded(folder, shards, fingerprint="another"), index, progress=False)


def test_documents_are_what_the_folder_or_the_caller_declares(tmp_path):
    folder, index = encoded(tmp_path / "encoded", [some(0)]), open_index("memory://")

    def declared(**given):
        done = index_folder(folder, index, progress=False, **given)
        assert index.describe().documents == done.documents_are
        return done.documents_are

    assert declared() is None
    assert declared(documents="pages") == "pages"
    assert declared() == "pages", "what the index says is kept"
    replace(Manifest.read(folder), documents_are="things").write(folder)
    assert declared() == "things"
    assert declared(documents="pages") == "pages"


def index_until(folder: Path, uri: str, calls: int, seconds: float = 0) -> bool:
    """Index in another process, killed some time after a number of calls; return whether it was still running."""
    command = [sys.executable, str(Path(__file__).with_name("index_aloud.py")), str(folder), uri]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(calls):
            process.stdout.readline()
        time.sleep(seconds)
        process.kill()
        return process.wait() != 0


def test_a_run_killed_at_any_moment_resumes_to_the_same_index(tmp_path, lasting_uri):
    shards = [some(n) for n in range(SHARDS)]
    folder, rng, kills = encoded(tmp_path / "encoded", shards), random.Random(3), 0
    while kills < KILLS[lasting_uri.partition(":")[0]]:
        open_index(lasting_uri).drop()
        for _ in range(rng.randint(1, 2)):  # killed, resumed, and at times killed once more
            kills += index_until(folder, lasting_uri, rng.randint(1, CALLS), rng.uniform(0, 0.1))
        index = open_index(lasting_uri)
        index_folder(folder, index, progress=False)
        assert index.shards() == {shard.sha256: shard.documents for shard in Manifest.read(folder).shards}
        assert holds(lasting_uri, shards)


def test_a_damaged_shard_is_not_written(tmp_path):
    folder = encoded(tmp_path / "encoded", [some(0), some(1)])
    index = open_index(f"lance://{tmp_path}/films")
    write_shard(folder / "shard-00001.parquet", some(1, seed=5), "float32")  # whole, but not the one of the manifest
    with pytest.raises(BadShardError, match=r"shard-00001\.parquet is not the file that the manifest names"):
        index_folder(folder, index, progress=False)
    with pytest.raises(MissingIndexError):
        index.count()
    encoded(folder, [some(0), some(1)])
    assert index_folder(folder, index, progress=False) == Indexed(240, 120, 0), "what was written before is kept"
    assert holds(f"lance://{tmp_path}/films", [some(0), some(1)])


def test_ids_in_several_shards_are_reported(tmp_path):
    folder = encoded(tmp_path / "encoded", [some(0), some(0, seed=1, documents=3)])
    with pytest.raises(UnfinishedIndexError, match=r"shard-00000\.parquet \(117 of 120\).*same IDs"):
        index_folder(folder, open_index(f"lance://{tmp_path}/films"), progress=False)


def test_documents_written_twice_by_concurrent_runs_are_fixed(tmp_path):
    folder, uri = encoded(tmp_path / "encoded", [some(0), some(1)]), f"lance://{tmp_path}/films"
    index_folder(folder, open_index(uri), progress=False)
    index, manifest = open_index(uri), Manifest.read(folder)
    twice = read_shard(folder / manifest.shards[1].file)
    index._table.add(table_of(twice, manifest.description()))  # as LanceDB does where two insert an id at once
    assert index.count() == 360 and same(index.fetch(everything([some(0)]).ids), some(0))
    with pytest.raises(UnfinishedIndexError, match="360 documents, the folder 240: another process"):
        _verify(manifest, index)
    assert index_folder(folder, open_index(uri), progress=False) == Indexed(240, 120, 0)
    assert holds(uri, [some(0), some(1)])


def test_missing_files_are_reported(tmp_path):
    folder, uri = encoded(tmp_path / "encoded", [some(0)]), f"lance://{tmp_path}/films"
    index_folder(folder, open_index(uri), progress=False)
    for path in (tmp_path / "films.lance" / "data").iterdir():
        path.unlink()
    with pytest.raises(OSError, match=r"lance://.*/films: a file of it is missing. Restore it"):
        open_index(uri).fetch(["0/1"])


def test_the_wrong_folder_is_refused_before_anything_is_written(tmp_path, index_uri):
    index = open_index(index_uri)
    index_folder(encoded(tmp_path / "encoded", [some(0)]), index, documents="pages", progress=False)
    wrong = encoded(tmp_path / "wrong", [some(1)])
    with pytest.raises(ManyRemovalsError, match="has 120 documents, and 120 of them are not in the folder"):
        index_folder(wrong, index, documents="things", progress=False)
    assert holds(index_uri, [some(0)])
    assert index.describe().documents == open_index(index_uri).describe().documents == "pages", "not declared either"
    # What was changed or moved to another shard is counted as it is, up to the last document that may go unasked.
    for kept, refused in [(107, True), (108, False)]:
        ids = [f"0/{n}" for n in range(kept)] + [f"new {n}" for n in range(120)]
        encoded(wrong, [films(ids[:60], seed=8), films(ids[60:], seed=9)])
        if refused:
            with pytest.raises(ManyRemovalsError, match="has 120 documents, and 13 of them"):
                index_folder(wrong, index, progress=False)
            assert holds(index_uri, [some(0)])
        else:
            assert index_folder(wrong, index, progress=False) == Indexed(228, 228, 12, "pages")


def test_documents_that_moved_to_other_shards_do_not_count_as_removed(tmp_path):
    folder, index = encoded(tmp_path / "encoded", [some(0), some(1)]), open_index("memory://")
    index_folder(folder, index, progress=False)
    encoded(folder, [everything([some(1), some(0)])])
    assert index_folder(folder, index, progress=False) == Indexed(240, 240, 0)
    # As many documents, but other ones.
    encoded(folder, [some(2), some(3)])
    with pytest.raises(ManyRemovalsError, match="has 240 documents, and 240 of them"):
        index_folder(folder, index, progress=False)
    assert index.count() == 240
    assert index_folder(folder, index, remove=True, progress=False) == Indexed(240, 240, 240)


def test_command(tmp_path):
    folder, uri = encoded(tmp_path / "encoded", [some(0), some(1)]), f"lance://{tmp_path}/films"
    ran = CliRunner().invoke(app, ["index", str(folder), "--index", uri])
    assert ran.exit_code == 0, ran.output
    assert "240 documents, 240 written in this run" in ran.stdout
    assert f"boolattn index DIR --index {uri} --documents things" in ran.stderr
    assert "note" not in CliRunner().invoke(app, ["index", str(folder), "--index", uri, "--documents", "pages"]).stderr
    assert f'next: boolattn search "..." --index {uri}' in ran.output
    assert holds(uri, [some(0), some(1)])
    for wrong in ([str(tmp_path), "--index", uri], [str(folder), "--index", "nothing://x/y"],
                  [str(folder), "--index", "memory://films"]):  # fmt: skip
        assert CliRunner().invoke(app, ["index", *wrong]).exit_code == 2
    encoded(folder, [some(0)])
    ran = CliRunner().invoke(app, ["index", str(folder), "--index", uri])
    assert ran.exit_code == 2 and "--remove" in ran.output and holds(uri, [some(0), some(1)])
    assert (
        "120 removed that are not in"
        in CliRunner().invoke(app, ["index", str(folder), "--index", uri, "--remove"]).stdout
    )
    encoded(folder, [some(0), some(1)])
    CliRunner().invoke(app, ["index", str(folder), "--index", uri])
    assert CliRunner().invoke(app, ["drop", "--index", uri], input="n").exit_code == 1
    assert holds(uri, [some(0), some(1)])
    ran = CliRunner().invoke(app, ["drop", "--index", uri], input="y")
    assert ran.exit_code == 0 and "240 documents removed" in ran.output
    ran = CliRunner().invoke(app, ["drop", "--index", uri, "--yes"])
    assert ran.exit_code == 2 and "there is no index" in ran.output

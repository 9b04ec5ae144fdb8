"""A folder of vectors: what is in it, how it resumes after being stopped, and what it refuses."""

import os
from pathlib import Path

import numpy as np
import pytest
import torch

from boolattn.backbones.document_encoder import document_vectors
from boolattn.backbones.storage.fingerprint import document_fingerprint
from boolattn.backbones.storage.model_names import load_encoder
from boolattn.reading.model_files import file_digest
from boolattn.retrieval.corpus.documents import ChangedCorpusError, survey
from boolattn.retrieval.shards import encoding
from boolattn.retrieval.shards.durable import atomic_write
from boolattn.retrieval.shards.encode_job import WrongFolderError
from boolattn.retrieval.shards.encoding import encode_corpus
from boolattn.retrieval.shards.manifest import DECLARED_FILE, MANIFEST_FILE, Manifest
from boolattn.retrieval.shards.shard_files import read_shard
from boolattn.retrieval.write_lock import BusyError
from tests.backbones.small import backbone
from tests.retrieval.shards.small_corpus import SHARD, contents, encode, write_corpus


@pytest.fixture(scope="module")
def model(tmp_path_factory, minilm_folder) -> str:
    return backbone(tmp_path_factory.mktemp("model"), minilm_folder)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus") / "corpus.jsonl")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, corpus, model):
    folder = tmp_path_factory.mktemp("undisturbed")
    encode(corpus, model, folder)
    return folder


def test_a_folder_contains_every_document_with_its_vector(undisturbed, model):
    manifest = Manifest.read(undisturbed)
    plain = load_encoder(model)
    assert (manifest.documents, manifest.dimension, manifest.similarity) == (400, 32, "cosine")
    assert manifest.fingerprint == document_fingerprint(plain)
    assert manifest.metadata == {"year": "integer"}
    assert [shard.documents for shard in manifest.shards] == [SHARD] * 6 + [40]
    assert [shard.sha256 for shard in manifest.shards] == [
        file_digest(undisturbed / each.file) for each in manifest.shards
    ]
    shards = [read_shard(undisturbed / shard.file) for shard in manifest.shards]
    assert [doc_id for rows in shards for doc_id in rows.ids] == [f"doc {n}" for n in range(400)]
    for rows in shards:
        texts = [f"{title}. {text}" if text else title for title, text in zip(rows.titles, rows.texts, strict=True)]
        alone = np.concatenate([document_vectors(plain, [text]) for text in texts[:10]])
        assert (rows.vectors[:10] * alone).sum(axis=1) == pytest.approx(1, abs=2e-2)
        assert np.linalg.norm(rows.vectors, axis=1) == pytest.approx(1, abs=1e-6)
    everything = np.concatenate([rows.vectors for rows in shards])
    assert np.abs(everything @ everything.T).min() < 0.9, "vectors that are all alike would prove nothing"


def test_a_second_run_encodes_nothing(undisturbed, corpus, model):
    before = {path: path.stat().st_mtime_ns for path in undisturbed.glob("*.parquet")}
    assert encode(corpus, model, undisturbed).documents == 0
    assert {path: path.stat().st_mtime_ns for path in undisturbed.glob("*.parquet")} == before


def test_a_stopped_run_resumes_with_what_is_missing(tmp_path, corpus, model, undisturbed):
    def stops(job, numbers, advance):
        raise KeyboardInterrupt

    for path in undisturbed.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "shard-00002.parquet").unlink()
    damaged = tmp_path / "shard-00005.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-7])
    (tmp_path / "shard-00003.parquet.99.part").write_bytes(b"half")
    (tmp_path / "somebody's.part").write_bytes(b"not ours")
    with pytest.raises(KeyboardInterrupt):
        encode(corpus, model, tmp_path, run=stops)
    assert not (tmp_path / MANIFEST_FILE).exists(), "a folder that is not complete has no manifest"
    assert encode(corpus, model, tmp_path).documents == 2 * SHARD
    (tmp_path / "somebody's.part").unlink()
    assert contents(tmp_path) == contents(undisturbed)


def test_two_concurrent_runs_do_not_interfere(tmp_path, corpus, model, undisturbed):
    def meets(job, numbers, advance):
        with pytest.raises(BusyError, match=rf"{tmp_path} is being written by process {os.getpid()} on"):
            encode(corpus, model, tmp_path)
        yield from encoding._here(load_encoder(model))(job, numbers, advance)

    assert encode(corpus, model, tmp_path, run=meets).documents == 400
    assert contents(tmp_path) == contents(undisturbed)


def test_a_corpus_that_changes_during_encoding_gets_no_manifest(tmp_path, model):
    corpus = write_corpus(tmp_path / "corpus.jsonl", documents=130)

    def changes(job, numbers, advance):
        for number, shard in encoding._here(load_encoder(model))(job, numbers, advance):
            if number == len(numbers) - 1:
                write_corpus(corpus, documents=130, seed=1)
            yield number, shard

    with pytest.raises(ChangedCorpusError, match="run this again, with another --out"):
        encode(corpus, model, tmp_path / "out", run=changes)
    assert not (tmp_path / "out" / MANIFEST_FILE).exists()


def test_files_are_synced_before_and_after_renaming(tmp_path, monkeypatch):
    done, fsync, rename = [], os.fsync, Path.replace

    def note_sync(file):
        done.append(("sync", Path(f"/proc/self/fd/{file}").resolve().name))
        fsync(file)

    def note_rename(path, target):
        done.append(("rename", path.name))
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_rename)
    names = []
    for _ in range(2):
        with atomic_write(tmp_path / "a") as aside:
            aside.write_text("whole")
        names.append(aside.name)
        assert done[-3:] == [("sync", aside.name), ("rename", aside.name), ("sync", tmp_path.name)]
    assert len(set(names)) == 2, "two writers must not share a file"
    with pytest.raises(KeyboardInterrupt), atomic_write(tmp_path / "b") as aside:
        aside.write_text("half")
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_declaration_needs_no_encoding(tmp_path, corpus, model, undisturbed):
    for path in undisturbed.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert Manifest.read(tmp_path).documents_are is None
    for declared, expected in [("things", "things"), (None, "things"), ("pages", "pages")]:
        done = encode(corpus, model, tmp_path, documents_are=declared)
        assert done.documents == 0
        assert done.manifest.documents_are == Manifest.read(tmp_path).documents_are == expected
        assert Manifest.read(tmp_path).description().documents == expected


def test_a_declaration_survives_an_interruption(tmp_path, corpus, model, undisturbed):
    def stops(job, numbers, advance):
        raise KeyboardInterrupt

    def interrupted(**settings):
        with pytest.raises(KeyboardInterrupt):
            encode(corpus, model, tmp_path, run=stops, **settings)

    for path in undisturbed.glob("*.parquet"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for declared in ("things", "pages", None):  # of a new folder, of an unfinished one, of a complete one
        (tmp_path / "shard-00002.parquet").unlink()
        interrupted(documents_are=declared)
        interrupted()
        assert encode(corpus, model, tmp_path).manifest.documents_are == (declared or "pages")
        assert contents(tmp_path).keys() == contents(undisturbed).keys()
    (tmp_path / "shard-00002.parquet").unlink()
    interrupted()
    (tmp_path / DECLARED_FILE).write_text("film")
    with pytest.raises(ValueError, match=r"documents\.declared is damaged: run this again with --documents"):
        encode(corpus, model, tmp_path)
    assert encode(corpus, model, tmp_path, documents_are="pages").manifest.documents_are == "pages"


def test_a_folder_started_with_other_settings_is_refused(tmp_path, corpus, model, undisturbed, minilm_folder):
    torch.manual_seed(7)
    before = contents(undisturbed)
    other = load_encoder(model)
    with torch.no_grad():
        next(other.parameters())[0] += 0.1
    other.save(str(tmp_path / "other"))
    changed, shorter = write_corpus(tmp_path / "b.jsonl", seed=1), write_corpus(tmp_path / "c.jsonl", documents=180)
    for said, what, which, settings in [
        (r"\(fingerprint \w+, not \w+\)", corpus, str(tmp_path / "other"), {}),
        (r"\(precision float32, not int8\)", corpus, model, {"precision": "int8"}),
        (r"\(documents \w+, not \w+\)", changed, model, {}),
        ("shard-00003.parquet, but .* has only 3 shards", shorter, model, {}),
    ]:
        with pytest.raises(WrongFolderError, match=said):
            encode(what, which, undisturbed, **settings)
    assert contents(undisturbed) == before


def test_a_boolean_model_encodes_as_its_backbone(tmp_path, corpus, model, undisturbed):
    encode(corpus, f"training-free:{model}", tmp_path)
    assert contents(tmp_path) == contents(undisturbed)


def test_vectors_of_a_model_in_half_precision_have_unit_length(tmp_path, corpus, model):
    half = load_encoder(model).to(torch.bfloat16)
    assert np.abs(np.linalg.norm(document_vectors(half, ["kites", "boats"]), axis=1) - 1).max() > 1e-5
    encode_corpus(survey(corpus), half, tmp_path, name="half", progress=False)
    vectors = read_shard(tmp_path / "shard-00000.parquet").vectors
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)


def test_other_similarities(tmp_path, corpus, model):
    dot = load_encoder(model)
    dot.similarity_fn_name = "dot"
    dot.save(str(tmp_path / "dot"))
    encode(corpus, str(tmp_path / "dot"), tmp_path / "out")
    rows = read_shard(tmp_path / "out" / "shard-00000.parquet")
    assert Manifest.read(tmp_path / "out").similarity == "dot"
    assert np.linalg.norm(rows.vectors, axis=1).min() > 1.5, "lengths say something here"
    dot.similarity_fn_name = "euclidean"
    dot.save(str(tmp_path / "euclidean"))
    with pytest.raises(ValueError, match="small compares vectors by euclidean"):
        encode(corpus, str(tmp_path / "euclidean"), tmp_path / "none")

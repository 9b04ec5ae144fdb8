"""One service with the real MiniLM for most tests, and the library's model to compare with."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from boolattn.backbones.retrieval_model import document_encoder, retrieval_model
from boolattn.backbones.storage.model_names import load_encoder
from boolattn.retrieval.corpus.documents import survey
from boolattn.retrieval.index.fill import index_folder
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.shards.encoding import encode_corpus
from tests.hub_cache import NAME
from tests.retrieval.search.vietnam import FILMS
from tests.service.running import Running, running


@pytest.fixture(scope="session")
def model():
    """The library's model, the same that the service loads by default."""
    return retrieval_model(load_encoder(NAME))


@pytest.fixture(scope="session")
def vectors(model, tmp_path_factory) -> Path:
    """A folder with the films' vectors."""
    folder = tmp_path_factory.mktemp("films")
    rows = [{"id": name, "text": text, "words": len(text.split())} for name, text in FILMS.items()]
    (folder / "films.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    encode_corpus(survey(folder / "films.jsonl"), model, folder / "vectors", name=NAME, progress=False)
    return folder / "vectors"


def filled(uri: str, vectors: Path) -> str:
    """Make an index of the films, and return its address."""
    index = open_index(uri)
    index_folder(vectors, index, documents="things", progress=False)
    index.close()
    return uri


@contextmanager
def _server(vectors: Path, folder: Path) -> Iterator[Running]:
    uri = filled(f"lance://{folder}/index/films", vectors)
    with running(folder, "--index", uri, "--max-wait", "60") as found:  # the machine may be busy
        yield found


@pytest.fixture(scope="session")
def server(model, vectors, tmp_path_factory) -> Iterator[Running]:
    """For tests that do not write documents."""
    with _server(vectors, tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture(scope="module")
def written_server(model, vectors, tmp_path_factory) -> Iterator[Running]:
    """A server of its own for a module that writes documents."""
    with _server(vectors, tmp_path_factory.mktemp("written")) as found:
        yield found


@pytest.fixture(scope="session")
def plain(model):
    """The plain model."""
    return document_encoder(model)

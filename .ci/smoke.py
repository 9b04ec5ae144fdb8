"""Uses what an extra is for: smoke.py SHARED [EXTRA]. Run by the Python of a venv with that extra alone.

SHARED is a folder for what one extra makes and another needs: `onnx` exports the model that `openvino` runs.
"""

import json
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import typer
from typer.testing import CliRunner

import boolattn
from boolattn.cli import app

ROOT = Path(__file__).parents[1]
BOOLATTN = str(Path(sys.executable).with_name("boolattn"))
QUERY = "films set in Vietnam but not about war"
FILMS = ROOT / "examples" / "films.jsonl"


def core(folder: Path, shared: Path) -> None:
    """Read, plan, encode with any function; the demo."""
    assert not any(map(find_spec, ("torch", "transformers", "sentence_transformers")))
    changed, same = boolattn.signed_vectors([QUERY, "war films"], letters)
    assert not np.array_equal(changed, letters([QUERY])[0]) and np.array_equal(same, letters(["war films"])[0])
    assert "The Halong Bay Mystery" in run("demo")


def models(folder: Path, shared: Path) -> None:
    """Search in memory with a model made Boolean, and explain."""
    hits = searcher(small_model(folder)).search(QUERY, 3)
    assert len(hits) == 3 and [atom.text for atom in hits[0].atoms if atom.sign < 0] == ["war"]
    assert "[-war-]" in run("explain", QUERY, "--model", f"training-free:{small_model(folder)}")


def lab(folder: Path, shared: Path) -> None:
    """Measure a reader on queries, and train the paper's first stage for a few steps."""
    rows = [{"query": QUERY, "excluded": ["war"]}, {"query": "weather in Hanoi", "excluded": []}]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = run_lab("evaluate", "reading", "--queries", folder / "queries.jsonl", "--json")
    assert json.loads(found)["recall"] == 1.0
    for operator, words in {"and": "red and old", "or": "red or old", "not": "red that are not old"}.items():
        rows = [{"G": f"{each} {words}", "P": [f"red {each}"], "N": [f"old {each}"]} for each in ("kites", "boats")]
        (folder / "setbert").mkdir(exist_ok=True)
        (folder / "setbert" / f"{operator}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = (f"model.start={small_model(folder)}", "training.batch_size=2", "model.query_tokens=16")
    changes = [part for setting in settings for part in ("--set", setting)]
    recipe = ROOT / "lab/recipes/paper-pretrain.toml"
    run_lab("train", "pretrain", recipe, "--data", folder, "--out", folder / "out", *changes)
    assert list((folder / "out").rglob("*.safetensors"))


def onnx(folder: Path, shared: Path) -> None:
    """Export a model, and run it with onnxruntime."""
    from sentence_transformers import SentenceTransformer

    run("export", small_model(folder), shared / "exported")
    expected = SentenceTransformer(small_model(folder)).encode([QUERY])
    assert np.allclose(boolattn.ExportedEncoder(shared / "exported").encode_document([QUERY]), expected, atol=1e-4)
    np.save(shared / "expected.npy", expected)


def openvino(folder: Path, shared: Path) -> None:
    """Run the model that `onnx` exported."""
    assert find_spec("torch") is None
    exported = boolattn.ExportedEncoder(shared / "exported", backend="openvino")
    assert np.allclose(exported.encode_document([QUERY]), np.load(shared / "expected.npy"), atol=1e-2)


def search(folder: Path, shared: Path) -> None:
    """Encode, index and search a file."""
    index = f"lance://{folder}/films"
    run("encode", FILMS, "--model", small_model(folder), "--out", folder / "vectors", "--documents", "things")
    run("index", folder / "vectors", "--index", index)
    found = run("search", QUERY, "--index", index, "--model", f"training-free:{small_model(folder)}", "--json")
    assert len(json.loads(found)["hits"]) == 10


def milvus(folder: Path, shared: Path) -> None:
    """Encode a file, and say that there is no server: tests have one, this venv has only the client."""
    run("encode", FILMS, "--model", small_model(folder), "--out", folder / "vectors")
    said = run("index", folder / "vectors", "--index", "milvus://127.0.0.1:9/films", code=2)
    assert "no Milvus server answers" in said, said


def ray(folder: Path, shared: Path) -> None:
    """Encode on a Ray cluster of this machine."""
    run("encode", FILMS, "--model", small_model(folder), "--out", folder / "vectors", "--ray")
    assert list((folder / "vectors").glob("*.parquet"))


def langchain(folder: Path, shared: Path) -> None:
    """Retrieve documents for a chain."""
    from boolattn.integrations.langchain import BooleanRetriever

    found = BooleanRetriever(searcher=searcher(small_model(folder)), k=3).invoke(QUERY)
    assert len(found) == 3 and found[0].metadata["boolattn_atoms"]


def llama_index(folder: Path, shared: Path) -> None:
    """Retrieve nodes for a query engine."""
    from boolattn.integrations.llama_index import BooleanRetriever

    found = BooleanRetriever(searcher(small_model(folder)), k=3).retrieve(QUERY)
    assert len(found) == 3 and found[0].node.metadata["boolattn_atoms"]


def serve(folder: Path, shared: Path) -> None:
    """Read queries in front of another server's model, without torch."""
    assert find_spec("torch") is None
    with ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as upstream:
        threading.Thread(target=upstream.serve_forever, daemon=True).start()
        command = [BOOLATTN, "serve", "--port", "0", "--upstream", f"http://127.0.0.1:{upstream.server_port}"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as service:
            try:
                line = next(line for line in service.stderr if "running on http://" in line)
                url = line.split("running on ")[1].split()[0]
                threading.Thread(target=service.stderr.read, daemon=True).start()
                wait_for(f"{url}/readyz")
                asked = {"model": "letters-query", "input": [QUERY, "war films"]}
                found = [row["embedding"] for row in post(f"{url}/v1/embeddings", asked)["data"]]
            finally:
                service.terminate()
        upstream.shutdown()
    assert np.allclose(found, boolattn.signed_vectors([QUERY, "war films"], letters), atol=1e-6)


def docs(folder: Path, shared: Path) -> None:
    """Build the site."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder / "site")]
    subprocess.run(command, cwd=ROOT, check=True)
    assert (folder / "site" / "quickstart" / "index.html").exists()


def letters(texts: list[str]) -> np.ndarray:
    """Encode texts as how often they have each letter: an embedding function that needs nothing."""
    counts = np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], np.float32)
    return counts / np.linalg.norm(counts, axis=1, keepdims=True)


class Upstream(BaseHTTPRequestHandler):
    """An OpenAI-style server that encodes letters."""

    def do_POST(self) -> None:
        """Answer a request for vectors."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        rows = [{"index": n, "embedding": vector} for n, vector in enumerate(letters(asked).tolist())]
        body = json.dumps({"object": "list", "model": "letters", "data": rows, "usage": {}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Print nothing."""


def wait_for(url: str) -> None:
    """Wait until an address answers, at most a minute."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return urllib.request.urlopen(url, timeout=10).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def post(url: str, body: object) -> dict:
    """Send JSON and return the answer."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def small_model(folder: Path) -> str:
    """Return the folder of a small random BERT with the shipped reader's tokenizer: nothing is downloaded."""
    where = folder / "model"
    if not where.exists():
        import torch
        from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

        names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
        file = ROOT / "weights" / "english" / "tokenizer.json"
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(file), model_max_length=128, **names)
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
            max_position_embeddings=128,
        )  # fmt: skip
        BertModel(config).save_pretrained(where)
        tokenizer.save_pretrained(where)
    return str(where)


def searcher(model: str) -> "boolattn.Searcher":
    """Return a search over the films in memory."""
    from boolattn.backbones.retrieval_model import document_encoder
    from boolattn.backbones.storage.fingerprint import document_fingerprint
    from boolattn.retrieval.index.protocol import IndexDescription, Rows

    encoder = boolattn.DualEncoder.training_free(model)
    films = [json.loads(line) for line in FILMS.read_text(encoding="utf-8").splitlines()]
    texts, documents = [film["text"] for film in films], document_encoder(encoder)
    vectors = np.asarray(documents.encode(texts), np.float32)
    index = boolattn.open_index("memory://")
    index.create(IndexDescription(document_fingerprint(documents), "small", vectors.shape[1], "cosine"))
    index.upsert(Rows([film["_id"] for film in films], [""] * len(films), texts, vectors, [{}] * len(films), "films"))
    return boolattn.Searcher(encoder, index)


def run(*arguments: object, code: int = 0) -> str:
    """Run a command of boolattn in this process, which loads large packages once, and return what it prints."""
    return run_of(app, *arguments, code=code)


def run_lab(*arguments: object) -> str:
    """Run a command of boolattn-lab, likewise."""
    from boolattn_lab.cli import app as lab_app

    return run_of(lab_app, *arguments)


def run_of(app: typer.Typer, *arguments: object, code: int = 0) -> str:
    """Run a command of either and return what it prints."""
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == code, f"{arguments}: {done.output}{done.exception!r}"
    return done.output if code else done.stdout


USES: dict[str, Callable[[Path, Path], None]] = {
    "": core,
    **{use.__name__.replace("_", "-"): use for use in (
        models, lab, onnx, openvino, search, milvus, ray, langchain, llama_index, serve, docs
    )},
}  # fmt: skip

if __name__ == "__main__":
    shared, extra = Path(sys.argv[1]), "".join(sys.argv[2:])
    for reader in ("rules", "learned"):
        [excluded] = boolattn.read(QUERY, reader=reader).exclusions
        assert excluded.span.of(QUERY) == "war", excluded
    assert b"Usage" in subprocess.run([BOOLATTN, "--help"], check=True, capture_output=True).stdout
    with TemporaryDirectory() as folder:
        USES[extra](Path(folder), shared)
    print(f"boolattn[{extra}] {boolattn.__version__} on Python {sys.version.split()[0]}: fine")

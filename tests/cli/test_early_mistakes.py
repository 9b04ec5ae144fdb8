"""Wrong arguments are reported before anything that takes seconds to import: nobody waits 13 s to read of a typo."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import IndexDescription, Rows
from boolattn.retrieval.shards.manifest import Manifest

QUERY = "films about Vietnam but not war"
SEARCH = ["search", QUERY, "--index", "{index}"]
ENCODE = ["encode", "{films}", "--model", "m", "--out"]
MISTAKES = {
    "search": [
        (["search", QUERY, "--index", "films"], "does not end in the name of an index"),
        (["search", QUERY, "--index", "lance://{folder}/none"], "there is no index"),
        (["search", QUERY, "--index", "lance://{folder}/none", "--where", "year"], "'year' is not a filter"),
        ([*SEARCH, "--where", "genre=war"], "no field 'genre' to filter by; this index has: 'colour', 'year'"),
        ([*SEARCH, "--where", "year=red"], "'year' is of type integer, which 'red' is not"),
        ([*SEARCH, "--where", "colour>true"], "which has no order"),
        ([*SEARCH, *["--where", "year=1990"] * 21], "use at most 20 filters"),
        ([*SEARCH, "--exclude", " "], "exclude contains an empty text"),
        ([*SEARCH, "--reader", "clever"], "no reader 'clever'"),
        ([*SEARCH, "--reader", "{folder}"], "contains no reader"),
        (["search", "films AND (war", "--index", "{index}", "--syntax"], "parenthesis"),
        ([*SEARCH, "-k", "10001"], "10000"),
        ([*SEARCH, "--strength", "inf"], "strength is inf"),
        ([*SEARCH, "--documents", "cats"], "'cats' is not one of"),
    ],
    "explain": [
        (["explain", QUERY, "--exclude", " "], "exclude contains an empty text"),
        (["explain", QUERY, "--reader", "clever"], "no reader 'clever'"),
        (["explain", "films AND (war", "--syntax"], "parenthesis"),
        (["explain", QUERY, "--html", "{folder}/none/page.html"], "no folder {folder}/none"),
        (["explain", QUERY, "--html", "{folder}"], "is a directory"),
    ],
    "encode": [
        (["encode", "{folder}/none.jsonl", "--model", "m", "--out", "{folder}/out"], "there is no file or folder"),
        (["encode", "{films}", "--text", "plot", "--model", "m", "--out", "{folder}/out"], "there is no such field"),
        ([*ENCODE, "{films}"], "cannot write to {films}: {films} is not a folder"),
        ([*ENCODE, "{films}/out"], "cannot write to {films}/out: {films} is not a folder"),
        ([*ENCODE, "{encoded}", "--precision", "int8"], "precision float16, not int8"),
        (["encode", "{folder}", "--model", "m", "--out", "{folder}"], "is the corpus"),
        ([*ENCODE, "{folder}/out", "--workers", "2"], "need --ray"),
    ],
    "index": [
        (["index", "{folder}", "--index", "{index}"], "has no manifest.json"),
        (["index", "{encoded}", "--index", "memory://films"], "would disappear"),
    ],
    "drop": [(["drop", "--index", "lance://{folder}/none"], "there is no index")],
    "export": [
        (["export", "m", "{films}"], "cannot write to {films}: {films} is not a folder"),
        (["export", "m", "{films}/out"], "cannot write to {films}/out: {films} is not a folder"),
    ],
    "serve": [
        (["serve", "--config", "{films}"], "is not valid TOML"),
        (["serve", "--index", "films"], "does not end in the name of an index"),
        (["serve", "--reader", "clever"], "no reader 'clever'"),
        (["serve", "--keys", "{folder}/none.json"], "cannot read the keys in {folder}/none.json"),
        (["serve", "--keys", "{films}"], "is not a key file"),
        (["serve", "--port", "65536"], "port is 65536: use 65535 or less"),
    ],
}
PROGRAM = """
import json, sys
from typer.testing import CliRunner
from boolattn.cli import app

for arguments in json.load(sys.stdin):
    done = CliRunner().invoke(app, arguments)
    heavy = sorted({"sentence_transformers", "torch", "transformers"} & set(sys.modules))
    print(json.dumps({"code": done.exit_code, "said": done.output, "heavy": heavy}), flush=True)
"""


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("places")
    (folder / "films.jsonl").write_text('{"_id": "a", "text": "a film"}\n')
    description = IndexDescription("f", "m", 2, "cosine", {"year": "integer", "colour": "boolean"})
    index = open_index(f"lance://{folder}/index/films")
    index.create(description)
    index.upsert(Rows(["a"], ["A"], ["a film"], np.array([[1, 0]], np.float32), [{"year": 1990}]))
    index.close()
    (folder / "encoded").mkdir()
    manifest = Manifest(model="m", fingerprint="f", dimension=2, similarity="cosine", precision="float16", documents=0)
    manifest.write(folder / "encoded")
    return {
        "folder": str(folder),
        "films": f"{folder}/films.jsonl",
        "index": f"lance://{folder}/index/films",
        "encoded": f"{folder}/encoded",
    }


@pytest.mark.parametrize("command", MISTAKES)
def test_mistakes_are_reported_before_anything_heavy_is_imported(command, places):
    calls = [[each.format(**places) for each in arguments] for arguments, _ in MISTAKES[command]]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "COLUMNS": "500"},
    )
    found = list(map(json.loads, done.stdout.splitlines()))
    assert len(found) == len(calls), done.stderr
    for call, (_, says), each in zip(calls, MISTAKES[command], found, strict=True):
        assert each["code"] == 2 and says.format(**places) in each["said"], (call, each)
        assert not each["heavy"], (call, each)
    assert not Path(places["folder"], "out").exists()

"""``boolattn demo`` as a new user runs it, and the vectors it ships with."""

import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from sentence_transformers import SentenceTransformer
from typer.testing import CliRunner

from boolattn.cli import app
from boolattn.demo.output import OPTIONS, QUERIES, YOUR_OWN, answer, read_queries, render
from boolattn.demo.sample_films import FILMS_FILE, load_films
from boolattn.reading.readers import reader_of
from boolattn.retrieval.corpus.documents import CorpusReader, survey
from tests.end_to_end.test_without_torch import PYTHON, ROOT, needs_light

# Fails where a process imports torch, or opens a connection.
GUARDED = """
import socket, sys
sys.modules |= dict.fromkeys(("torch", "transformers", "sentence_transformers"))
def refuse(*arguments, **named): raise AssertionError("the demonstration opened a connection")
socket.socket.connect = socket.create_connection = refuse
from boolattn.cli import app
app(["demo"])
"""


@pytest.fixture(scope="module")
def films():
    return load_films()


@pytest.fixture(scope="module")
def answers(films):
    return [answer(films, reading) for reading in read_queries()]


@needs_light
def test_runs_without_extras(tmp_path):
    assert subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode != 0
    shown = _run([PYTHON, "-m", "boolattn", "demo"], tmp_path)
    _require_all_parts(shown)


def test_imports_no_torch_where_it_is_installed_and_opens_no_connection(tmp_path):
    _require_all_parts(_run([sys.executable, "-c", GUARDED], tmp_path))


def test_the_three_queries_are_read_as_nothing_a_topic_and_a_property():
    kinds = [[each.kind for each in reading.exclusions] for reading in read_queries()]
    assert kinds == [[], ["topic"], ["property"]]


def test_an_ordinary_query_finds_the_same_and_the_others_lose_the_war_films(answers):
    ordinary, *excluding = answers
    assert ordinary.plain == ordinary.boolean
    for each in excluding:
        before, after = (sum("war" in film.genres for film in hits) for hits in (each.plain, each.boolean))
        assert before >= 3 and after == 0


def test_the_vectors_are_those_of_the_model(films, minilm_folder):
    model = SentenceTransformer(str(minilm_folder))
    corpus = survey(FILMS_FILE)
    documents = CorpusReader(corpus).read(0, corpus.documents)
    assert [film.doc_id for film in films.films] == [document.doc_id for document in documents]
    np.testing.assert_allclose(films.vectors, model.encode([each.to_encode() for each in documents]), atol=1e-5)
    texts = list(films.vector_of)
    np.testing.assert_allclose(films.embed(texts), model.encode(texts), atol=1e-5)


def test_a_reader_that_finds_other_parts_still_gets_plain_hits(films):
    reading = read_queries(replace(OPTIONS, reader=reader_of("rules")))[1]
    without = {text: vector for text, vector in films.vector_of.items() if text != "war"}
    found = answer(replace(films, vector_of=without), reading)
    assert found.boolean is None and found.plain == answer(films, reading).plain
    console = Console(width=200, color_system=None)
    with console.capture() as captured:
        console.print(render([found], 40))
    assert 'the part "war", whose vector does not ship' in captured.get()
    assert found.plain[0].title in captured.get()


def test_the_commands_for_your_own_file_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "YOUR.jsonl").write_bytes(FILMS_FILE.read_bytes())
    torch, extra, *commands = (line for line in YOUR_OWN.splitlines() if not line.startswith("#"))
    assert torch.startswith("pip install torch") and extra.startswith("pip install")
    for command in commands:
        arguments = shlex.split(command.replace("YOUR QUERY", QUERIES[1]), comments=True)
        result = CliRunner().invoke(app, arguments[1:])
        assert result.exit_code == 0, result.output
    assert "The Halong Bay Mystery" in result.stdout and "- The Long Patrol" in result.stdout


def _require_all_parts(shown):
    assert f"1. {QUERIES[0]}" in shown
    assert "computed in advance with all-MiniLM-L6-v2" in shown
    assert "2. films set in Vietnam _but not_ about [-war-]" in shown
    assert 'Excludes "war" (characters 35 to 38): a topic, confidence 0.' in shown
    assert 'Excludes "war films" (characters 33 to 42): a property, confidence 0.' in shown
    assert "- The Long Patrol (war)" in shown and "+ Paper Dragons (animation, fantasy)" in shown
    assert "boolattn encode YOUR.jsonl" in shown


def _run(command, folder):
    """Run a command in an empty folder and an empty home, without data and caches."""
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    environment |= {"PYTHONPATH": str(ROOT / "src"), "HOME": str(folder), "COLUMNS": "100"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    assert not done.stderr and not list(Path(folder).iterdir())
    return done.stdout

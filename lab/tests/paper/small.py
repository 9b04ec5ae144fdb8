"""Small training data of the official shapes, and recipes for it."""

import json
from pathlib import Path
from random import Random
from typing import Any

import zstandard
from lab.tests.catalogs import catalogs

from boolattn_lab.paper.recipes import Recipe, recipe_of

THINGS = ["kites", "boats", "trains", "drums", "wolves", "lamps", "roses", "clocks"]
# For a run in several processes, in which some batches contain no operator and some no known scope.
SHARED: dict[str, dict[str, Any]] = {
    "data": {"queries": 16, "validation_queries": 0},
    "losses": {"cue": 1.0, "scope": 1.0},
    "training": {"checkpoint_steps": 100},
}
PLACES = ["Peru", "Chad", "Nepal", "Cuba"]
# What pages mention: four by four, so that those of a row meet.
SUBJECTS = ["Amber Basalt Cobalt Dolomite", "Elder Fennel Ginger Hawthorn", "Ibex Jackal Kestrel Lemming",
            "Mercury Neptune Oberon Pluto", "Quartet Rondo Sonata Tango", "Umbria Valencia Wexford York"]  # fmt: skip


def recipe(stage: str, start: str, source: str, **sections: dict[str, Any]) -> Recipe:
    """Return a recipe for a small model: two epochs of batches of four."""
    training = {"epochs": 2, "batch_size": 4, "log_steps": 1, "checkpoint_steps": 2, "learning_rate": 1e-3}
    model = {"start": start, "pooling": "cls", "similarity": "dot", "query_tokens": 16, "document_tokens": 24}
    values = {"model": model, "data": {"source": source}, "training": training}
    merged = {name: values.get(name, {}) | sections.get(name, {}) for name in {*values, *sections}}
    return recipe_of({"stage": stage, **merged})


def data_folder(folder: Path) -> Path:
    """Write SetBERT triples, QUEST, BoolQuestions, films and Wikipedia pages, all made up."""
    pairs = [(a, b) for a in THINGS for b in THINGS if a != b][::7]
    says = {"and": "{} and {}", "or": "{} or {}", "not": "{} that are not {}"}
    for operator, pattern in says.items():
        rows = [{"G": pattern.format(a, b), "P": [f"red {a}", f"old {a}"], "N": [f"{b} only", "stones"]}
                for a, b in pairs]  # fmt: skip
        _lines(folder / "setbert" / f"{operator}.jsonl", rows)
    documents = [{"title": f"{thing} {place}", "text": f"Many {thing} are found in {place}."}
                 for thing in THINGS for place in PLACES]  # fmt: skip
    _lines(folder / "quest" / "documents.jsonl", documents)
    _lines(folder / "quest" / "train.jsonl", [_quest(a, PLACES[n % 4]) for n, a in enumerate(THINGS)])
    for split in ("val", "test"):
        _lines(folder / "quest" / f"{split}.jsonl", [_quest(a, PLACES[n % 4 - 1]) for n, a in enumerate(THINGS[:4])])
    hub = folder / "boolquestions"
    passages = [{"docid": str(n), "doc": row["text"]} for n, row in enumerate(documents)]
    _lines(hub / "MSMARCO" / "corpus.jsonl", passages)
    questions = [
        {"qid": str(n), "question": f"where are {thing} found but not in Peru", "question_type": "not",
         "positive_ctxs": [{"passage_id": str(4 * n + 1)}], "negative_ctxs": [{"passage_id": str(4 * n)}]}
        for n, thing in enumerate(THINGS)
    ]  # fmt: skip
    _lines(hub / "train.jsonl", questions)
    _lines(hub / "MSMARCO" / "eval.jsonl", questions[:4])
    configs = "".join(
        f"- config_name: {name}\n  data_files:\n  - split: {split}\n    path: MSMARCO/{split}.jsonl\n"
        for name, split in (("MSMARCO-corpus", "corpus"), ("MSMARCO", "eval"))
    )
    (hub / "README.md").write_text(f"---\nconfigs:\n{configs}---\n")
    (folder / "films").mkdir()
    films = (catalogs.FOLDER / "films.jsonl").read_bytes()
    (folder / "films" / "films.jsonl.zst").write_bytes(zstandard.compress(films))
    _lines(folder / "wiki-intros" / "wiki_intros.jsonl.zst", _pages())
    return folder


def _pages() -> list[dict[str, Any]]:
    """Return pages in which every subject is mentioned, but by no more than a twentieth of them."""
    rng, rows = Random(0), [row.split() for row in SUBJECTS]
    mentioned = [[name for name in row if rng.random() < 0.45] for row in rows for _ in range(40)]
    pages = [{"title": name, "text": "A subject."} for row in rows for name in row]
    pages += [
        {"title": f"page {n}", "text": f"It tells of {' , '.join(row)} . It is long . It is old ."}
        for n, row in enumerate(mentioned)
    ]
    return pages + [{"title": f"stone {n}", "text": "A stone."} for n in range(260)]


def _quest(thing: str, place: str) -> dict[str, Any]:
    answers = [f"{thing} {other}" for other in PLACES if other != place]
    return {"query": f"{thing} but not of {place}", "docs": [*answers, "in no corpus"], "scores": None,
            "original_query": f"<mark>{thing}</mark> that are not <mark>{thing} of {place}</mark>",
            "metadata": {"template": "_ that are not _", "domain": "things"}}  # fmt: skip


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(zstandard.compress(text.encode()) if path.suffix == ".zst" else text.encode())

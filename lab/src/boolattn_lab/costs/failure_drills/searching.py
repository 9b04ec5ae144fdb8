"""A process that searches until it is killed, and what its answers must be like."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import parent_process
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import numpy as np

from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.protocol import Rows, Vectors
from boolattn_lab.costs.failure_drills.processes import Running

HITS = 10
PAUSE = 0.02
LONGEST_LIFE = 4.0
"""Seconds after its first answer at which a searching process is killed, at most."""
KILLED_EARLY = 0.2
"""Share of searching processes that are killed at any moment before that."""
CLOSE = 1e-4  # scores are sums in another order


def search_forever(model: str, uri: str, queries: Sequence[str], out: Path) -> None:
    """Search with one query after the other, as long as whoever started this runs; append each answer to a file."""
    from boolattn.backbones.storage.model_names import load_encoder
    from boolattn.retrieval.index.open_index import open_index
    from boolattn.retrieval.search.searcher import Searcher, SearchSettings

    encoder, searcher = load_encoder(model), None
    number = 0
    with out.open("a") as file:
        while (starter := parent_process()) is None or starter.is_alive():
            answer: dict[str, Any] = {"query": number % len(queries)}
            try:
                searcher = searcher or Searcher(encoder, open_index(uri), settings=SearchSettings(plan=False))
                found = searcher.search(queries[number % len(queries)], HITS)
                answer["hits"] = [(hit.doc_id, hit.score, hit.title, hit.text) for hit in found]
            except MissingIndexError:
                answer["missing"] = True
            except Exception as error:  # reported, whatever it is
                answer["error"] = f"{type(error).__name__}: {error}"
            file.write(json.dumps(answer) + "\n")
            file.flush()
            number += 1
            time.sleep(PAUSE)


class KilledSearches:
    """Keeps a searching process running, and kills it again and again, until the end of a ``with``."""

    def __init__(self, folder: Path, rng: Random, model: str, uri: str, queries: Sequence[str]) -> None:
        """Prepare; answers go to a file in the folder."""
        self.answers, self.kills = folder / "answers.jsonl", 0
        self._log, self._rng, self._given = folder / "searching.log", rng, (model, uri, list(queries), self.answers)
        self._done, self._thread = Event(), Thread(target=self._keep_going)

    def __enter__(self) -> "KilledSearches":
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._done.set()
        self._thread.join()

    def _keep_going(self) -> None:
        while not self._done.is_set():
            running, there = Running(self._log, search_forever, *self._given), self._size()
            if self._rng.random() >= KILLED_EARLY:
                while not self._done.wait(PAUSE) and self._size() == there and running.is_alive:
                    pass
            self._done.wait(self._rng.uniform(0, LONGEST_LIFE))
            self.kills += running.killed_after(0)

    def _size(self) -> int:
        return self.answers.stat().st_size if self.answers.exists() else 0


@dataclass(frozen=True, slots=True)
class State:
    """What an index may contain: before or after a change."""

    rows: Rows
    scores: Vectors  # (Q, N)

    @classmethod
    def of(cls, rows: Rows, queries: Vectors) -> "State":
        """Compare documents with the vectors (Q, D) of queries."""
        return cls(rows, queries @ rows.vectors.T)

    def of_query(self, query: int) -> dict[str, float]:
        """Return the score of every document."""
        return dict(zip(self.rows.ids, self.scores[query].tolist(), strict=True))

    def contents(self) -> set[tuple[str, str, str]]:
        """Return every document's ID, title and text."""
        return set(zip(self.rows.ids, self.rows.titles, self.rows.texts, strict=True))


@dataclass(frozen=True, slots=True)
class Judged:
    """How many answers were checked, how many were wrong, and in what; others may only have lacked documents."""

    answers: int
    wrong: int
    incomplete: int
    problems: list[str]


def judge(path: Path, states: Sequence[State], may_be_missing: bool, may_be_incomplete: bool) -> Judged:
    """Check answers that were given while an index changed from one state to the next.

    Each hit must be a document of one state with its score there, once. A document that belongs to all states must not
    be absent if it is nearer than a hit.

    Args:
        path: The answers.
        states: What the index contained before and after.
        may_be_missing: Whether the index did not exist at first.
        may_be_incomplete: Whether an answer that only lacks documents counts as incomplete, not as wrong.
    """
    contents = set().union(*(state.contents() for state in states))
    count, wrong, incomplete, problems = 0, 0, 0, list[str]()
    for answer in _complete_lines(path):
        count, before = count + 1, len(problems)
        if "hits" in answer:
            scores = [state.of_query(answer["query"]) for state in states]
            problems += _wrong(answer["hits"], scores, contents)
            lacking = list(_lacking(answer["hits"], scores))
            if may_be_incomplete:
                incomplete += bool(lacking)
            else:
                problems += lacking
        elif not ("missing" in answer and may_be_missing):
            problems.append(answer.get("error", "the index was missing"))
        wrong += len(problems) > before
    return Judged(count, wrong, incomplete, problems)


def _wrong(hits: list[Any], scores: list[dict[str, float]], contents: set[tuple[str, str, str]]) -> Iterator[str]:
    if len(hits) != len({hit[0] for hit in hits}):
        yield f"a document twice among {[hit[0] for hit in hits]}"
    for doc_id, score, title, text in hits:
        if not any(abs(each.get(doc_id, np.inf) - score) < CLOSE for each in scores):
            yield f"{doc_id} with score {score}, not {[each.get(doc_id) for each in scores]}"
        if (doc_id, title, text) not in contents:
            yield f"{doc_id} with another text"


def _lacking(hits: list[Any], scores: list[dict[str, float]]) -> Iterator[str]:
    if len(hits) != HITS:
        yield f"{len(hits)} hits of {HITS}"
    found = {hit[0]: hit[1] for hit in hits}
    least = min(found.values(), default=np.inf)
    for doc_id in set.intersection(*(set(each) for each in scores)) - set(found):
        if min(each[doc_id] for each in scores) > least + CLOSE:
            yield f"{doc_id} is nearer than a hit, and was not found"


def _complete_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield answers; of a process that was killed, the last one may be cut off, and the next begins after it."""
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue

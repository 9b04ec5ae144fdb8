"""One round of chaos: a new version of the corpus is encoded and indexed under disturbances, then compared."""

import itertools
import json
import shutil
from pathlib import Path
from random import Random

import numpy as np

from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.open_index import open_index, parse_address
from boolattn.retrieval.shards.shard_files import read_shard
from boolattn_lab.costs.failure_drills.disturbed import Disturbed
from boolattn_lab.costs.failure_drills.documents import SHARD_DOCUMENTS, Version, some_queries
from boolattn_lab.costs.failure_drills.faults import Faults, faults_of
from boolattn_lab.costs.failure_drills.reference import Reference, ReferenceMaker
from boolattn_lab.costs.failure_drills.searching import CLOSE, HITS, KilledSearches, State, judge
from boolattn_lab.costs.failure_drills.small_disk import small_disk
from boolattn_lab.costs.failure_drills.tally import Tally

DISTURBANCES = ("corrupted shard", "two writers", "full disk")
"""Besides kills, one in each round."""
REWRITTEN_IN_TWO_STEPS = frozenset({"milvus"})
"""Backends that remove a document before they write it again, so that a search in between lacks it."""
ANEW = 3
"""In every so many rounds, the index is dropped and made anew; in the others, it is changed."""


class Rounds:
    """Rounds of chaos with one index."""

    def __init__(self, folder: Path, model: Path, tally: Tally) -> None:
        """Take an empty folder to work in; the index of the tally must not exist."""
        self._folder, self._uri, self._tally = folder, tally.index, tally
        self._rng, self._model = Random(tally.seed), model
        self._commands = Disturbed(folder, self._rng, tally, model)
        self._disturbances = itertools.cycle(self._rng.sample(DISTURBANCES, len(DISTURBANCES)))
        self._maker = ReferenceMaker(folder, model)
        self._version = Version.first(self._rng)
        self._reference = self._maker.make(self._version)

    def time_commands(self) -> None:
        """Run each command once, undisturbed, to learn how long it takes."""
        self._commands.prepare()
        out = self._folder / "timed"
        self._commands.time("encode", self._commands.encode(self._reference.corpus, out))
        self._commands.time("index", self._commands.index(out, self._uri))

    def next(self) -> None:
        """Run one round."""
        rng, tally, before = self._rng, self._tally, self._reference
        self._version = self._version.next(rng)
        now = self._reference = self._maker.make(self._version)
        anew = tally.rounds % ANEW == ANEW - 1
        if anew:
            self._commands.drop(self._uri)
        queries, place = some_queries(rng), self._folder / f"round-{tally.rounds}"
        place.mkdir()
        with KilledSearches(place, Random(rng.random()), str(self._model), self._uri, queries) as searches:
            self._disturb(place / "vectors", next(self._disturbances))
        tally.kills["search"] += searches.kills
        tally.faults += faults_of(open_index(self._uri), now.rows, before.rows.ids)
        tally.documents += len(now.rows)
        self._search(queries[0])
        self._judge(searches.answers, queries, [now] if anew else [before, now], may_be_missing=anew)
        tally.rounds += 1
        shutil.rmtree(place)
        shutil.rmtree(before.folder)

    def _disturb(self, out: Path, disturbance: str) -> None:
        commands, corpus = self._commands, self._reference.corpus
        if disturbance == "two writers":
            commands.at_once("encode", lambda: commands.encode(corpus, out))
        else:
            commands.kill("encode", lambda: commands.encode(corpus, out))
        self._compare_folder(out)
        if disturbance == "full disk":
            self._fill_disks(out.parent)
        if disturbance == "corrupted shard":
            self._corrupt(out)
        if disturbance == "two writers":
            commands.at_once("index", lambda: commands.index(out, self._uri))
        else:
            commands.kill("index", lambda: commands.index(out, self._uri))

    def _fill_disks(self, place: Path) -> None:
        commands, reference = self._commands, self._reference
        needed = sum(path.stat().st_size for path in reference.folder.iterdir())
        with small_disk(place / "disk", int(self._rng.uniform(0.2, 0.8) * needed)) as disk:
            out = place / "disk" / "vectors"
            commands.on_full_disk("encode", disk, lambda: commands.encode(reference.corpus, out, disk))
            self._compare_folder(out)
        if parse_address(self._uri).backend != "lance":
            return  # a server's disk is not ours to fill
        with small_disk(place / "disk of index", int(self._rng.uniform(0.2, 1.2) * needed)) as disk:
            uri = f"lance://{place / 'disk of index'}/small"
            commands.on_full_disk("index", disk, lambda: commands.index(reference.folder, uri, disk))
            self._tally.faults += faults_of(open_index(uri), reference.rows)

    def _corrupt(self, out: Path) -> None:
        """Flip a bit of a shard that is not in the index yet: indexing must refuse it, and encoding repair it."""
        try:
            there = open_index(self._uri).shards()
        except MissingIndexError:
            there = {}
        path = self._rng.choice(sorted(path for path in out.glob("*.parquet") if read_shard(path).shard not in there))
        content = bytearray(path.read_bytes())
        content[self._rng.randrange(len(content))] ^= 1 << self._rng.randrange(8)
        path.write_bytes(content)
        self._commands.must_notice("index", path.name, self._commands.index(out, self._uri))
        self._commands.succeed("encode", self._commands.encode(self._reference.corpus, out))
        self._compare_folder(out)

    def _compare_folder(self, folder: Path) -> None:
        if differing := self._reference.differing(folder):
            self._tally.fail(f"files of {folder} are not those of an undisturbed run: {differing}")
            shards = sum(name.endswith(".parquet") for name in differing)
            self._tally.faults += Faults(wrong=SHARD_DOCUMENTS * shards)

    def _search(self, query: str) -> None:
        """Compare the answer of ``boolattn search`` with the exact one."""
        ended = self._commands.search(query, self._uri)
        scores = State.of(self._reference.rows, self._maker.encode([query])).scores[0]
        expected = np.sort(scores)[::-1][:HITS]
        said = ended.said[ended.said.find("{") : ended.said.rfind("}") + 1]
        found = [hit["score"] for hit in json.loads(said)["hits"]] if ended.code == 0 else []
        self._tally.answers += 1
        if len(found) != len(expected) or not np.allclose(found, expected, atol=CLOSE):
            self._tally.wrong_answers += 1
            self._tally.fail(f"boolattn search {query!r} found {found}, not {expected}: {ended.said[-1000:]}")

    def _judge(self, answers: Path, queries: list[str], stages: list[Reference], may_be_missing: bool) -> None:
        vectors = self._maker.encode(queries)
        states = [State.of(each.rows, vectors) for each in stages]
        may_be_incomplete = parse_address(self._uri).backend in REWRITTEN_IN_TWO_STEPS
        judged = judge(answers, states, may_be_missing, may_be_incomplete)
        self._tally.answers += judged.answers
        self._tally.incomplete_answers += judged.incomplete
        self._tally.wrong_answers += judged.wrong
        for problem in judged.problems[:3]:
            self._tally.fail(f"a searching process: {problem}")

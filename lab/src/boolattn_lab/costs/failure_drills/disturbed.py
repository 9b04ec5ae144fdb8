"""``boolattn encode`` and ``boolattn index``, killed, run twice at once, on a full disk, and with a damaged shard."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from time import sleep

from boolattn_lab.costs.failure_drills.documents import SHARD_DOCUMENTS
from boolattn_lab.costs.failure_drills.processes import Ended, Running, command
from boolattn_lab.costs.failure_drills.small_disk import SmallDisk
from boolattn_lab.costs.failure_drills.tally import Tally

MOST_KILLS = 6
"""Of one command, before it may finish."""
_BUSY = "is being written by"
_FULL = ("No space left", "disk is full", "File too large", "os error 28", "os error 27")


class Disturbed:
    """Runs commands under disturbances, and counts those."""

    def __init__(self, folder: Path, rng: Random, tally: Tally, model: Path) -> None:
        """Take a folder for what commands print."""
        self._folder, self._rng, self._tally, self._model = folder, rng, tally, model
        self._logs = 0
        self.longest = {"encode": 5.0, "index": 10.0}
        """Seconds that a command takes, about: it is killed before."""

    def prepare(self) -> None:
        """Import once what later commands share."""
        self.succeed("version", self._start("--version"))

    def encode(self, corpus: Path, out: Path, disk: SmallDisk | None = None) -> Running:
        """Start to encode a corpus."""
        options = ("--model", str(self._model), "--out", str(out), "--shard-documents", str(SHARD_DOCUMENTS))
        return self._start("encode", str(corpus), *options, disk=disk)

    def index(self, folder: Path, uri: str, disk: SmallDisk | None = None) -> Running:
        """Start to index a folder."""
        return self._start("index", str(folder), "--index", uri, disk=disk)

    def search(self, query: str, uri: str) -> Ended:
        """Search once."""
        options = ("--model", str(self._model), "--index", uri, "--json")
        return self._start("search", query, *options).ended()

    def drop(self, uri: str) -> None:
        """Drop the index."""
        self.succeed("drop", self._start("drop", "--index", uri, "--yes"))

    def succeed(self, kind: str, running: Running) -> Ended:
        """Wait for a command that must succeed."""
        ended = running.ended()
        if ended.code != 0 or ended.crashed:
            self._tally.fail(f"{kind} ended with code {ended.code}: {ended.said[-1500:]}")
        return ended

    def time(self, kind: str, running: Running) -> None:
        """Wait for an undisturbed run, whose duration decides when to kill others."""
        self.longest[kind] = self.succeed(kind, running).seconds

    def kill(self, kind: str, start: Callable[[], Running]) -> None:
        """Run a command again and again, killed at random moments, until it ends."""
        for _ in range(MOST_KILLS):
            running = start()
            if not running.killed_after(self._rng.uniform(0, self.longest[kind])):
                self.longest[kind] *= 0.8  # the machine is faster now
                break
            self._tally.kills[kind] += 1
        else:
            self.longest[kind] *= 1.1
        self.succeed(kind, start())

    def at_once(self, kind: str, start: Callable[[], Running]) -> None:
        """Run a command twice at once: one succeeds, and the other too or says that it must wait."""
        first = start()
        sleep(self._rng.uniform(0, self.longest[kind] / 2))
        both = [each.ended() for each in (first, start())]
        self._tally.others[f"two writers, {kind}"] += 1
        if all(each.code for each in both) or any(each.code and _BUSY not in each.said for each in both):
            self._tally.fail(f"two writers, {kind}: {[(each.code, each.said[-500:]) for each in both]}")

    def on_full_disk(self, kind: str, disk: SmallDisk, start: Callable[[], Running]) -> None:
        """Run a command on a disk that is too small, then on one that is not."""
        ended = start().ended()
        self._tally.others[f"full disk, {kind}" if ended.code else f"disk not full, {kind}"] += 1
        if ended.crashed or (ended.code and not any(sign in ended.said for sign in _FULL)):
            self._tally.fail(f"{kind} on a full disk does not name the cause: {ended.said[-1500:]}")
        disk.enlarge()
        self.succeed(kind, start())

    def must_notice(self, kind: str, what: str, running: Running) -> None:
        """Wait for a command that must refuse what is damaged, by name."""
        ended = running.ended()
        self._tally.others["corrupted shard"] += 1
        if ended.code == 0 or ended.crashed or what not in ended.said:
            self._tally.fail(f"{kind} does not report that {what} is damaged: {ended.said[-1500:]}")

    def _start(self, *arguments: str, disk: SmallDisk | None = None) -> Running:
        self._logs += 1
        log = self._folder / f"{self._logs:05}-{arguments[0]}.log"
        return command(log, *arguments, file_bytes=disk.file_bytes if disk else None)

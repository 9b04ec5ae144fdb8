"""Chaos for some minutes."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.open_index import open_index, parse_address
from boolattn_lab.costs.failure_drills.documents import save_model
from boolattn_lab.costs.failure_drills.rounds import Rounds
from boolattn_lab.costs.failure_drills.tally import Tally


def run_chaos(uri: str, minutes: float, seed: int, report: Callable[[Tally], None] = lambda tally: None) -> Tally:
    """Run rounds of chaos until the time is over, at least one.

    Args:
        uri: The address of an index that does not exist: it is created, disturbed and, unless something was wrong,
            dropped.
        minutes: How long.
        seed: Chooses documents, disturbances and moments; moments depend on the machine too.
        report: Called after each round.
    """
    _require_new(uri)
    folder, tally, began = Path(mkdtemp(prefix="boolattn-chaos-")), Tally(uri, seed), time.monotonic()
    save_model(folder / "model", seed)
    rounds = Rounds(folder, folder / "model", tally)
    rounds.time_commands()
    while not tally.rounds or time.monotonic() - began < 60 * minutes:
        rounds.next()
        tally.seconds = time.monotonic() - began
        report(tally)
    if tally.is_sound:
        open_index(uri).drop()
        shutil.rmtree(folder)
    else:
        tally.fail(f"the files of all commands are kept in {folder}")
    return tally


def _require_new(uri: str) -> None:
    if parse_address(uri).backend == "memory":
        raise ValueError(f"{uri} lives in one process: give lance:///folder/name or milvus://host:port/name")
    try:
        count = open_index(uri).count()
    except MissingIndexError:
        return
    raise ValueError(
        f"{uri} exists and contains {count} documents: give a name that does not exist, as chaos replaces the index"
    )

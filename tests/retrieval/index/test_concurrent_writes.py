"""Several clients write to one LanceDB table at once, and afterwards each document exists exactly once."""

import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import lancedb
import pytest

from boolattn.retrieval.index.deadline import within
from boolattn.retrieval.index.lance import lance_index as lance
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.write_lock import BusyError, write_lock
from tests.retrieval.index.films import DESCRIPTION, films

ROUNDS, AT_ONCE, THREADS, PROCESSES = 5, 20, 8, 4
ONCE = Counter(f"{turn}/{n}" for turn in range(ROUNDS) for n in range(AT_ONCE))

WRITER = f"""
import sys
from boolattn.retrieval.index.open_index import open_index
from tests.retrieval.index.films import films
index = open_index(sys.argv[1])
index.describe()
for turn in range({ROUNDS}):
    print("ready", flush=True)
    sys.stdin.readline()
    index.upsert(films([f"{{turn}}/{{n}}" for n in range({AT_ONCE})], seed=int(sys.argv[2])))
print("done", flush=True)
"""
HOLDER = """
import sys, time
from pathlib import Path
from boolattn.retrieval.write_lock import write_lock
with write_lock(Path(sys.argv[1]), "films"):
    print("locked", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def uri(tmp_path):
    uri = f"lance://{tmp_path}/films"
    open_index(uri).create(DESCRIPTION)
    return uri


@pytest.fixture
def lock(tmp_path):
    """The file that a write locks."""
    return tmp_path / "films.writing"


def python(script, *given):
    command = [sys.executable, "-c", script, *map(str, given)]
    here = Path(__file__).parents[3]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=here)


def at_once(*calls):
    """Run each in a thread, and raise what the first that failed raised."""
    failed = []

    def run(call):
        try:
            call()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=[call]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def stored(folder):
    """How often each ID is in the table."""
    return Counter(lancedb.connect(folder).open_table("films").search().select(["id"]).to_arrow()["id"].to_pylist())


@pytest.mark.parametrize("shared", [True, False], ids=["one object", "several objects"])
def test_threads_that_upsert_the_same_new_documents_store_each_once(tmp_path, uri, shared):
    indexes = [open_index(uri)] * THREADS if shared else [open_index(uri) for _ in range(THREADS)]
    begin = threading.Barrier(THREADS, timeout=60)

    def write(writer):
        for turn in range(ROUNDS):
            begin.wait()
            indexes[writer].upsert(films([f"{turn}/{n}" for n in range(AT_ONCE)], seed=writer))

    at_once(*(lambda writer=writer: write(writer) for writer in range(THREADS)))
    assert stored(tmp_path) == ONCE
    assert open_index(uri).count() == len(ONCE)
    assert [path.name for path in tmp_path.iterdir()] == ["films.lance"], "no lock is left"


def test_processes_that_upsert_the_same_new_documents_store_each_once(tmp_path, uri):
    processes = [python(WRITER, uri, writer) for writer in range(PROCESSES)]
    for _ in range(ROUNDS):
        assert [process.stdout.readline() for process in processes] == ["ready\n"] * PROCESSES
        for process in processes:
            print(file=process.stdin, flush=True)
    assert [process.communicate()[0] for process in processes] == ["done\n"] * PROCESSES
    assert stored(tmp_path) == ONCE
    assert open_index(uri).count() == len(ONCE)
    assert [path.name for path in tmp_path.iterdir()] == ["films.lance"], "no lock is left"


@pytest.mark.parametrize("scheme", ["lance", "lance+file"], ids=["a folder", "as in object storage"])
def test_a_client_that_has_not_seen_a_write_replaces_or_removes_what_it_wrote(tmp_path, scheme):
    index, other = (open_index(f"{scheme}://{tmp_path}/films") for _ in range(2))
    index.create(DESCRIPTION)

    def written(ids):
        other.count()  # it reads the table now, and not again within the next seconds
        index.upsert(films(ids))

    written(["a", "b", "c"])
    other.upsert(films(["a", "b", "c"], seed=1))
    assert stored(tmp_path) == Counter("abc")
    assert set(open_index(other.uri).fetch(["a", "b", "c"]).texts) == {"What happens in 1"}
    written(["d"])
    other.delete(["d"])
    assert stored(tmp_path) == Counter("abc")
    written(["e"])
    other.delete_shard("s")
    assert stored(tmp_path) == Counter()


def test_a_table_can_be_settled_while_others_write_to_it(tmp_path, uri, monkeypatch):
    monkeypatch.setattr(lance, "FLAT_UP_TO", 300)
    open_index(uri).upsert(films([f"old {n}" for n in range(299)]))

    def upsert(writer):
        index = open_index(uri)
        for turn in range(30):
            index.upsert(films([f"{writer}/{(7 * turn + n) % 50}" for n in range(AT_ONCE)], seed=turn))

    def settle():
        index = open_index(uri)
        for _ in range(10):
            index.settle()

    at_once(lambda: upsert(0), lambda: upsert(1), settle)
    expected = {f"old {n}": 1 for n in range(299)} | {f"{writer}/{n}": 1 for writer in range(2) for n in range(50)}
    assert stored(tmp_path) == expected


@pytest.fixture
def holder(lock):
    """A process that holds the lock until it is killed."""
    process = python(HOLDER, lock)
    assert process.stdout.readline() == "locked\n"
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize(
    "write",
    [
        lambda index: index.upsert(films(["a"])),
        lambda index: index.delete(["a"]),
        lambda index: index.delete_shard("s"),
        lambda index: index.declare("things"),
    ],
    ids=["upsert", "delete", "delete_shard", "declare"],
)
def test_a_write_does_not_wait_forever(uri, holder, monkeypatch, write):
    monkeypatch.setattr(lance, "LONGEST_WAIT", 0.2)
    index, began = open_index(uri), time.monotonic()
    with pytest.raises(BusyError, match=rf"{uri} is being written by process {holder.pid} on .*: wait until"):
        write(index)
    assert 0.2 <= time.monotonic() - began < 5
    assert index.count() == 0, "reading needs no lock"


def test_settling_keeps_no_lock_that_others_would_wait_for(uri, holder):
    open_index(uri).settle()


def test_a_killed_writer_holds_no_lock(uri, holder, lock):
    holder.kill()
    holder.wait()
    assert lock.exists()
    index = open_index(uri)
    index.upsert(films(["a"]))
    assert index.count() == 1 and not lock.exists()


def test_a_write_waits_no_longer_than_its_caller(uri, lock):
    index, began = open_index(uri), time.monotonic()
    with write_lock(lock, "films"), within(0.2), pytest.raises(BusyError):
        index.upsert(films(["a"]))
    assert time.monotonic() - began < 5


def test_a_write_waits_for_another_and_then_succeeds(uri, lock):
    index, waiting = open_index(uri), threading.Thread(target=lambda: index.upsert(films(["a"])))
    with write_lock(lock, "films"):
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive() and index.count() == 0
    waiting.join()
    assert index.count() == 1


def test_a_lock_has_one_holder_at_a_time(tmp_path):
    path, holders, counted = tmp_path / "films.writing", [], []

    def hold(thread):
        for _ in range(300):
            with write_lock(path, "films", 60):
                holders.append(thread)
                counted.append(len(holders))
                holders.remove(thread)

    at_once(*(lambda thread=thread: hold(thread) for thread in range(THREADS)))
    assert counted == [1] * 300 * THREADS and not path.exists()

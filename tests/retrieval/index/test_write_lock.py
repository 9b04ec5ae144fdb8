"""One writer at a time, and a new index that appears when it is complete."""

import os
import threading
import time
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from boolattn.cli import app
from boolattn.retrieval import write_lock
from boolattn.retrieval.index import fill
from boolattn.retrieval.index.description import MissingIndexError
from boolattn.retrieval.index.fill import Indexed, index_folder
from boolattn.retrieval.index.milvus import server_lock
from boolattn.retrieval.index.milvus.client import MilvusServerError
from boolattn.retrieval.index.open_index import open_index
from boolattn.retrieval.index.protocol import WrongIndexError
from boolattn.retrieval.write_lock import BusyError, LockOwner
from tests.retrieval.index.test_fill import encoded, holds, some
from tests.retrieval.index.test_milvus_connection import relayed


def test_a_second_writer_learns_who_is_writing(tmp_path, index_uri):
    folder = encoded(tmp_path / "encoded", [some(0), some(1)])
    busy = rf"{index_uri} is being written by process {os.getpid()} on .* 0 minutes"
    with open_index(index_uri).write_lock(), pytest.raises(BusyError, match=busy):
        index_folder(folder, open_index(index_uri), progress=False)
    assert index_folder(folder, open_index(index_uri), progress=False) == Indexed(240, 240, 0)
    assert holds(index_uri, [some(0), some(1)])


def test_a_second_writer_learns_how_long_the_first_has_been_writing(tmp_path, index_uri, monkeypatch):
    with open_index(index_uri).write_lock():
        later = time.time() + 600
        monkeypatch.setattr(write_lock, "time", SimpleNamespace(time=lambda: later, monotonic=time.monotonic))
        with pytest.raises(BusyError, match="for 10 minutes now"):
            open_index(index_uri).write_lock().__enter__()


def test_only_one_of_many_concurrent_writers_writes(tmp_path, index_uri, monkeypatch):
    monkeypatch.setattr(fill, "WRITTEN_AT_ONCE", 30)
    shards = [some(n) for n in range(3)]
    folder, begin, outcomes = encoded(tmp_path / "encoded", shards), threading.Barrier(4), []

    def write():
        begin.wait()
        try:
            outcomes.append(index_folder(folder, open_index(index_uri), progress=False))
        except BusyError as error:
            outcomes.append(error)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 4 and sum(isinstance(each, Indexed) and each.written == 360 for each in outcomes) == 1
    assert holds(index_uri, shards)


def test_a_new_index_appears_when_it_is_complete(tmp_path, index_uri, monkeypatch):
    folder, seen = encoded(tmp_path / "encoded", [some(0), some(1)]), []

    def look(*given):
        with pytest.raises(MissingIndexError):
            open_index(index_uri).count()
        seen.append(given)
        return verify(*given)

    verify = fill._verify
    monkeypatch.setattr(fill, "_verify", look)
    index = open_index(index_uri)
    index_folder(folder, index, progress=False)
    assert len(seen) == 1 and index.count() == open_index(index_uri).count() == 240


def interrupt(folder, uri):
    """Stop a run of ``boolattn index`` before it has finished."""
    with pytest.MonkeyPatch.context() as stopped, pytest.raises(KeyboardInterrupt):
        stopped.setattr(fill, "_verify", lambda *given: (_ for _ in ()).throw(KeyboardInterrupt))
        index_folder(folder, open_index(uri), progress=False)


def test_an_unfinished_index_can_be_dropped(tmp_path, lasting_uri):
    interrupt(encoded(tmp_path / "encoded", [some(0)]), lasting_uri)
    assert open_index(lasting_uri).unpublished().count() == 120
    ran = CliRunner().invoke(app, ["drop", "--index", lasting_uri], input="y")
    assert ran.exit_code == 0 and "its 120 documents?" in ran.output and "120 documents removed" in ran.output
    with pytest.raises(MissingIndexError):
        open_index(lasting_uri).unpublished().count()
    ran = CliRunner().invoke(app, ["drop", "--index", lasting_uri, "--yes"])
    assert ran.exit_code == 2 and "there is no index" in ran.output


def test_an_index_that_is_being_written_is_not_dropped(tmp_path, lasting_uri):
    index_folder(encoded(tmp_path / "encoded", [some(0)]), open_index(lasting_uri), progress=False)
    with open_index(lasting_uri).write_lock():
        ran = CliRunner().invoke(app, ["drop", "--index", lasting_uri, "--yes"])
    assert ran.exit_code == 2 and "is being written by" in " ".join(ran.output.replace("│", " ").split())
    assert holds(lasting_uri, [some(0)])


def test_dropping_an_index_that_does_not_exist_creates_nothing(tmp_path):
    ran = CliRunner().invoke(app, ["drop", "--index", f"lance://{tmp_path}/mistyped/films", "--yes"])
    assert ran.exit_code == 2 and list(tmp_path.iterdir()) == []


def test_an_unfinished_index_with_other_vectors_is_replaced(tmp_path, index_uri):
    index = open_index(index_uri)
    interrupt(encoded(tmp_path / "other", [some(0)], fingerprint="another"), index_uri)
    folder = encoded(tmp_path / "encoded", [some(1)])
    assert index_folder(folder, index, progress=False) == Indexed(120, 120, 0)
    assert holds(index_uri, [some(1)])


GONE = [LockOwner("elsewhere", 1, 0.0), LockOwner(LockOwner.now().host, 2**22 + 1, time.time())]


@pytest.mark.parametrize("gone", GONE, ids=["long ago", "on this machine"])
def test_the_lock_of_a_dead_milvus_writer_is_taken_over(milvus, gone):
    index = open_index(f"{milvus.uri}/taken_over")
    assert server_lock._made(index._client, "taken_over__writing", gone)
    with index.write_lock(), pytest.raises(BusyError):
        index.write_lock().__enter__()
    assert not index._client.has_collection("taken_over__writing")


def test_of_several_that_take_over_a_lock_one_gets_it(milvus, monkeypatch):
    index, name, holders, refused = open_index(f"{milvus.uri}/several"), "several__writing", [], []
    begin, release = threading.Barrier(4), server_lock._release

    def slowly(client, name, owner):
        """Remove a lock some time after looking at its owner, as another machine may."""
        if owner is not None and server_lock._owner(client, name)[0] == owner:
            time.sleep(0.3)
            client.drop_collection(name)

    def write(number):
        begin.wait()
        time.sleep(0.1 * number)
        try:
            with open_index(f"{milvus.uri}/several").write_lock():
                holders.append(number)
                time.sleep(2)
        except BusyError:
            refused.append(number)

    assert server_lock._made(index._client, name, GONE[1])
    monkeypatch.setattr(server_lock, "_release", slowly)
    threads = [threading.Thread(target=write, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(holders) == 1 and len(refused) == 3
    monkeypatch.setattr(server_lock, "_release", release)
    with index.write_lock():
        assert not index._client.has_collection(f"{name}__claim")
    assert not index._client.has_collection(name)


def test_a_claim_whose_owner_was_killed_is_taken_over_too(milvus):
    index, name = open_index(f"{milvus.uri}/claimed"), "claimed__writing"
    for each in (name, f"{name}__claim"):
        assert server_lock._made(index._client, each, GONE[1])
    with index.write_lock(), pytest.raises(BusyError):
        index.write_lock().__enter__()
    assert not index._client.has_collection(name) and not index._client.has_collection(f"{name}__claim")


def test_a_milvus_writer_shows_that_it_is_alive(milvus, monkeypatch):
    monkeypatch.setattr(server_lock, "HEARTBEAT", 0.05)
    index = open_index(f"{milvus.uri}/alive")
    with index.write_lock():
        began = server_lock._owner(index._client, "alive__writing")[1]
        time.sleep(1)
        assert server_lock._owner(index._client, "alive__writing")[1] > began


def test_collections_of_others_are_not_dropped(milvus):
    client = open_index(f"{milvus.uri}/any")._client
    for name in ("theirs", "ours__writing"):
        client.create_collection(name, dimension=4)
    with pytest.raises(WrongIndexError, match="theirs was not created by boolattn"):
        open_index(f"{milvus.uri}/theirs").drop()
    with pytest.raises(WrongIndexError, match="ours__writing was not created by boolattn"):
        open_index(f"{milvus.uri}/ours").write_lock().__enter__()
    for name in ("theirs", "ours__writing"):
        assert client.has_collection(name)
        client.drop_collection(name)


def test_a_lock_taken_over_by_another_writer_is_not_released(milvus):
    index, name = open_index(f"{milvus.uri}/lost"), "lost__writing"
    with index.write_lock():
        index._client.drop_collection(name)
        assert server_lock._made(index._client, name, LockOwner("elsewhere", 1, time.time()))
    assert server_lock._owner(index._client, name)[0].host == "elsewhere"
    index._client.drop_collection(name)


def test_a_lock_whose_owner_the_server_does_not_name_is_not_taken_over(milvus, monkeypatch):
    index, name = open_index(f"{milvus.uri}/unnamed"), "unnamed__writing"

    def fails(*given, **settings):
        raise MilvusServerError("describe_collection failed")

    with index.write_lock():
        with monkeypatch.context() as broken:
            broken.setattr(index._client, "describe_collection", fails, raising=False)
            with pytest.raises(MilvusServerError, match="describe_collection failed"):
                index.write_lock().__enter__()
        assert server_lock._owner(index._client, name)[0] is not None
    assert server_lock._owner(index._client, name) == (None, 0.0), "released, which is not an error"


def test_a_lock_that_cannot_be_released_does_not_hide_an_error(milvus):
    with relayed(milvus) as (process, port):
        index = open_index(f"milvus://127.0.0.1:{port}/hidden")
        with pytest.raises(KeyError, match="what went wrong"), index.write_lock():
            process.kill()
            process.wait()
            raise KeyError("what went wrong")
    client, name = open_index(f"{milvus.uri}/hidden")._client, "hidden__writing"
    client.drop_collection(name)
    with pytest.raises(KeyError, match="what went wrong"), open_index(f"{milvus.uri}/hidden").write_lock():
        client.drop_collection(name)
        client.create_collection(name, dimension=4)  # somebody else's
        raise KeyError("what went wrong")
    assert client.has_collection(name)
    client.drop_collection(name)

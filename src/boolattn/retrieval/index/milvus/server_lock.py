"""One writer of a Milvus collection at a time, across all machines: a second collection is the lock."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

import msgspec

from boolattn.retrieval.index.milvus.client import MilvusServerError
from boolattn.retrieval.index.protocol import WrongIndexError
from boolattn.retrieval.write_lock import LockOwner

_HEARTBEAT = "boolattn.heartbeat"
HEARTBEAT, EXPIRES_AFTER = 20.0, 300.0
"""Seconds between a writer's heartbeats, and without a heartbeat until its lock expires."""


@contextmanager
def server_lock(client: Any, collection: str, uri: str) -> Iterator[None]:
    """Hold the lock of a collection; ``BusyError`` if another writer holds it, on this or another machine.

    Args:
        client: The server's client.
        collection: The name of the collection to write to.
        uri: Its address, for messages.
    """
    name, me = f"{collection}__writing", LockOwner.now()
    if not _made(client, name, me):
        owner, seen = _owner(client, name)
        if owner is not None and not _is_gone(owner, seen):
            raise owner.busy_error(uri)
        if not _taken_over(client, name, owner, me):  # another writer was quicker
            raise (_owner(client, name)[0] or me).busy_error(uri)
    done = Event()
    thread = Thread(target=_send_heartbeats, args=(client, name, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        with suppress(
            MilvusServerError, WrongIndexError
        ):  # it will expire, or is not ours; do not hide an error of the body
            _release(client, name, me)


def _made(client: Any, name: str, writer: LockOwner) -> bool:
    """Create the lock; the server lets only one of several writers do that."""
    from pymilvus import DataType, MilvusClient

    if client.has_collection(name):
        return False
    schema = MilvusClient.create_schema(description=msgspec.json.encode(writer).decode())
    schema.add_field("id", DataType.INT64, is_primary=True)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=2)
    try:
        client.create_collection(name, schema=schema)
    except MilvusServerError:
        if not client.has_collection(name):
            raise
    return _owner(client, name)[0] == writer


def _taken_over(client: Any, name: str, gone: LockOwner | None, me: LockOwner) -> bool:
    """Replace the lock of an owner who is gone; return whether it is ours now.

    Milvus cannot compare and remove in one step, so of several writers who find the same old lock, one could remove the
    new lock of another. A second lock, held for this moment only, lets in one at a time.
    """
    claim = f"{name}__claim"
    if not _made(client, claim, me):
        claimant, seen = _owner(client, claim)
        if claimant is not None and not _is_gone(claimant, seen):
            return False
        # Its owner was killed within the milliseconds that this takes. Here the gap remains: docs/security.md.
        _release(client, claim, claimant)
        if not _made(client, claim, me):
            return False
    try:
        _release(client, name, gone)
        return _made(client, name, me)
    finally:
        with suppress(MilvusServerError, WrongIndexError):
            _release(client, claim, me)


def _release(client: Any, name: str, owner: LockOwner | None) -> None:
    """Remove the lock if it belongs to this owner."""
    if owner is not None and _owner(client, name)[0] == owner:
        client.drop_collection(name)


def _owner(client: Any, name: str) -> tuple[LockOwner | None, float]:
    """Return the lock's owner and the time of the last heartbeat; None if the lock is gone."""
    try:
        found = client.describe_collection(name)
    except MilvusServerError:
        if client.has_collection(name):
            raise
        return None, 0.0
    try:
        owner = msgspec.json.decode(found["description"], type=LockOwner)
    except msgspec.DecodeError as error:
        raise WrongIndexError(
            f"the collection {name} was not created by boolattn, which uses such names for its locks: rename it"
        ) from error
    return owner, float(found["properties"].get(_HEARTBEAT, owner.since))


def _is_gone(owner: LockOwner, seen: float) -> bool:
    if owner.host == socket.gethostname() and owner.process != os.getpid():
        try:
            os.kill(owner.process, 0)  # only checks that the process exists
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
    return time.time() - seen > EXPIRES_AFTER


def _send_heartbeats(client: Any, name: str, done: Event) -> None:
    while not done.wait(HEARTBEAT):
        try:
            client.alter_collection_properties(name, {_HEARTBEAT: str(time.time())})
        except MilvusServerError:  # the next one may succeed
            continue

"""API keys: stored as hashes, compared in constant time, with scopes and a rate limit each."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from boolattn.retrieval.shards.durable import atomic_write

Scope: TypeAlias = Literal["read", "write"]
_PREFIX = "ba_"


class KeyFileError(ValueError):
    """A key file that cannot be used."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key.

    Attributes:
        name: Whose it is, for people.
        sha256: Of the key itself, which is stored nowhere: it has 256 random bits, so that a plain hash is enough.
        scopes: What it allows: ``"read"`` to embed, read and search, ``"write"`` to change documents.
        per_minute: How many requests a minute it allows, over all workers; 0 for no limit.
    """

    name: str
    sha256: str
    scopes: tuple[Scope, ...] = ("read",)
    per_minute: int = 0

    def __post_init__(self) -> None:
        if len(self.sha256) != 64 or not self.scopes or self.per_minute < 0:
            raise KeyFileError(f"the key {self.name!r} needs a SHA-256, at least one scope, and per_minute from 0")


class Keys:
    """The keys of a service."""

    def __init__(self, keys: tuple[ApiKey, ...]) -> None:
        """Take all keys; their order is their place in the shared rate limits."""
        self.all = keys

    def find(self, given: str) -> tuple[int, ApiKey] | None:
        """Return the place and the key that a client gave; None if it is unknown."""
        digest = hashlib.sha256(given.encode(errors="replace")).hexdigest()
        found = None
        for place, each in enumerate(self.all):  # no early exit: the time says nothing about which key it was
            if hmac.compare_digest(each.sha256, digest):
                found = place, each
        return found


def read_keys(path: str | Path) -> Keys:
    """Read a key file."""
    try:
        keys = msgspec.json.decode(Path(path).read_bytes(), type=tuple[ApiKey, ...])
    except OSError as error:
        raise KeyFileError(f"cannot read the keys in {path}: {error.strerror}. boolattn keys makes the file") from error
    except (msgspec.DecodeError, KeyFileError) as error:
        raise KeyFileError(f"{path} is not a key file: {error}. boolattn keys makes one") from error
    if not keys:
        raise KeyFileError(f"{path} contains no keys: add one with boolattn keys")
    if len({key.name for key in keys}) < len(keys):
        raise KeyFileError(f"{path} has two keys of the same name: names must be unique")
    return Keys(keys)


def add_key(path: str | Path, name: str, scopes: tuple[Scope, ...] = ("read",), per_minute: int = 0) -> str:
    """Add a key to a file, which only its owner can read, and return the key itself: it cannot be shown again."""
    path = Path(path)
    keys = read_keys(path).all if path.exists() else ()
    if any(key.name == name for key in keys):
        raise KeyFileError(f"{path} already has a key {name!r}: choose another name")
    secret = _PREFIX + secrets.token_urlsafe(32)
    new = ApiKey(name, hashlib.sha256(secret.encode()).hexdigest(), scopes, per_minute)
    with atomic_write(path) as aside:
        aside.touch(mode=0o600)
        aside.write_bytes(msgspec.json.format(msgspec.json.encode((*keys, new))))
    return secret

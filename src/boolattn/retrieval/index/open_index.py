"""Address -> index."""

import os
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from boolattn.retrieval.index.protocol import Index  # imports numpy, which parsing an address does without

TOKEN_VARIABLE = "BOOLATTN_MILVUS_TOKEN"
_KNOWN = (
    "lance:///folder/name or lance://folder/name for files, lance+s3://bucket/folder/name (or +gs, +az) for object "
    "storage, milvus://host:port/name for a Milvus server (milvus+tls:// for an encrypted connection), memory:// for "
    "the memory of this process"
)


class Address(NamedTuple):
    """The parts of an index address."""

    backend: Literal["lance", "milvus", "memory"]
    where: str  # a folder, an object storage path, a server, or empty
    name: str


def open_index(uri: str) -> "Index":
    """Return the index at an address, whether or not it exists yet.

    Args:
        uri: ``lance:///folder/name``, or ``lance://folder/name`` for a relative path: a table in a folder.
            ``lance+s3://bucket/folder/name``, and so on: a table in any object storage that LanceDB supports.
            ``milvus://host:port/name``: a collection of a Milvus server or cluster; ``milvus+tls://host:port/name`` for
            an encrypted connection. If the server requires a token, set the variable ``BOOLATTN_MILVUS_TOKEN``, and
            use an encrypted connection.
            ``memory://``: a new index in the memory of this process; ``memory://name`` returns the same one each time.
    """
    address = parse_address(uri)
    if address.backend == "lance":
        from boolattn.retrieval.index.lance.lance_index import LanceIndex

        return LanceIndex(address.where, address.name, uri)
    if address.backend == "memory":
        from boolattn.retrieval.index.memory import MemoryIndex

        return MemoryIndex(address.name)
    from boolattn.retrieval.index.milvus.milvus_index import MilvusIndex

    return MilvusIndex(address.where, address.name, uri, os.environ.get(TOKEN_VARIABLE, ""))


def parse_address(uri: str) -> Address:
    """Return the parts of an address for LanceDB's and Milvus's clients; ``ValueError`` if it is unknown."""
    parts = urlsplit(uri)
    if "@" in parts.netloc:
        raise ValueError(
            f"{masked(uri)} contains a user or password, which anyone who sees the address can read: for Milvus, set "
            f"{TOKEN_VARIABLE} instead; for object storage, the variables of its provider"
        )
    where, _, name = f"{parts.netloc}{parts.path}".rpartition("/")
    if parts.scheme == "memory" and "://" in uri and not (where or parts.query or parts.fragment):
        return Address("memory", "", name)
    if not name or "://" not in uri or parts.query or parts.fragment:
        raise ValueError(f"{masked(uri)!r} does not end in the name of an index: use {_KNOWN}")
    if parts.scheme == "lance":
        # "lance:///films" is the table films in the root folder, "lance://films" one in the working directory.
        return Address("lance", where or ("/" if parts.path else "."), name)
    if parts.scheme.startswith("lance+"):
        return Address("lance", f"{parts.scheme.removeprefix('lance+')}://{where}", name)
    if parts.scheme in ("milvus", "milvus+tls"):
        return Address("milvus", f"{'https' if parts.scheme == 'milvus+tls' else 'http'}://{where}", name)
    raise ValueError(f"{masked(uri)!r} is not the address of a known kind of index: use {_KNOWN}")


def masked(uri: str) -> str:
    """Return an address without possible secrets: user, password and parameters."""
    parts = urlsplit(uri)
    _, at, host = parts.netloc.rpartition("@")
    hidden = ("***" if part else "" for part in (parts.query, parts.fragment))
    return urlunsplit((parts.scheme, f"***@{host}" if at else host, parts.path, *hidden))

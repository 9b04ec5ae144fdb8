"""From an address to an index."""

import os
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from boolattn.retrieval.index.protocol import Index

TOKEN_VARIABLE = "BOOLATTN_MILVUS_TOKEN"
_KNOWN = (
    "lance:///folder/name or lance://folder/name for files, lance+s3://bucket/folder/name (or +gs, +az) for object "
    "storage, milvus://host:port/name for a Milvus server, memory:// for the memory of this process"
)


class Address(NamedTuple):
    """Where an index is."""

    backend: Literal["lance", "milvus", "memory"]
    where: str  # a folder, a place in object storage, a server, or nothing
    name: str


def open_index(uri: str) -> Index:
    """Return the index at an address, whether it exists yet or not.

    Args:
        uri: ``lance:///folder/name``, or ``lance://folder/name`` from where you are: a table in a folder.
            ``lance+s3://bucket/folder/name``, and so on: the same in object storage, as LanceDB knows it.
            ``milvus://host:port/name``: a collection of a Milvus server or cluster; a token, if it wants one, is read
            from the variable ``BOOLATTN_MILVUS_TOKEN``.
            ``memory://``: a new index in the memory of this process; ``memory://name`` is the same one each time.
    """
    address = parse_address(uri)
    if address.backend == "lance":
        from boolattn.retrieval.index.lance.lance_index import LanceIndex

        return LanceIndex(address.where, address.name, uri)
    if address.backend == "memory":
        from boolattn.retrieval.index.memory import MemoryIndex

        return MemoryIndex(address.name)
    from boolattn.retrieval.index.milvus.milvus_index import MilvusIndex

    return MilvusIndex(address.where, address.name, uri, token=os.environ.get(TOKEN_VARIABLE, ""))


def parse_address(uri: str) -> Address:
    """Return the parts of an address, as LanceDB's and Milvus's clients take them; ``ValueError`` if it is unknown."""
    parts = urlsplit(uri)
    where, _, name = f"{parts.netloc}{parts.path}".rpartition("/")
    if parts.scheme == "memory" and "://" in uri and not (where or parts.query or parts.fragment):
        return Address("memory", "", name)
    if not name or "://" not in uri or parts.query or parts.fragment:
        raise ValueError(f"{uri!r} does not end in the name of an index; known are {_KNOWN}")
    if parts.scheme == "lance":
        # "lance:///films" is the table films in the root folder, "lance://films" one in the folder we are in.
        return Address("lance", where or ("/" if parts.path else "."), name)
    if parts.scheme.startswith("lance+"):
        return Address("lance", f"{parts.scheme.removeprefix('lance+')}://{where}", name)
    if parts.scheme == "milvus":
        return Address("milvus", f"http://{where}", name)
    raise ValueError(f"{uri!r} is not the address of a known kind of index; known are {_KNOWN}")

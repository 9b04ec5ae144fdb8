"""From an address to an engine."""

import os
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from boolattn.retrieval.index.protocol import Engine

TOKEN_VARIABLE = "BOOLATTN_MILVUS_TOKEN"
_KNOWN = (
    "lance:///folder/name or lance://folder/name for files, lance+s3://bucket/folder/name (or +gs, +az) for object "
    "storage, milvus://host:port/name for a Milvus server"
)


class Address(NamedTuple):
    """Where an index is."""

    engine: Literal["lance", "milvus"]
    where: str  # a folder, a place in object storage, or a server
    name: str


def open_engine(uri: str) -> Engine:
    """Return the index at an address, whether it is there yet or not.

    Args:
        uri: ``lance:///folder/name``, or ``lance://folder/name`` from where you are: a table in a folder.
            ``lance+s3://bucket/folder/name``, and so on: the same in object storage, as LanceDB knows it.
            ``milvus://host:port/name``: a collection of a Milvus server or cluster; a token, if it wants one, is read
            from the variable ``BOOLATTN_MILVUS_TOKEN``.
    """
    address = parse_address(uri)
    if address.engine == "lance":
        from boolattn.retrieval.index.lance.lance_index import LanceEngine

        return LanceEngine(address.where, address.name, uri)
    from boolattn.retrieval.index.milvus.milvus_index import MilvusEngine

    return MilvusEngine(address.where, address.name, uri, token=os.environ.get(TOKEN_VARIABLE, ""))


def parse_address(uri: str) -> Address:
    """Return what an address says, as the engines' own clients take it; ``ValueError`` if it says nothing known."""
    parts = urlsplit(uri)
    where, _, name = f"{parts.netloc}{parts.path}".rpartition("/")
    if not name or "://" not in uri or parts.query or parts.fragment:
        raise ValueError(f"{uri!r} does not end in the name of an index; known are {_KNOWN}")
    if parts.scheme == "lance":
        # "lance:///films" is the table films in the root folder, "lance://films" one in the folder we are in.
        return Address("lance", where or ("/" if parts.path else "."), name)
    if parts.scheme.startswith("lance+"):
        return Address("lance", f"{parts.scheme.removeprefix('lance+')}://{where}", name)
    if parts.scheme == "milvus":
        return Address("milvus", f"http://{where}", name)
    raise ValueError(f"{uri!r} is of no known engine; known are {_KNOWN}")

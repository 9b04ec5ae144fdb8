"""From an address to an engine."""

import os
from urllib.parse import urlsplit

from boolattn.retrieval.engines.protocol import Engine

TOKEN_VARIABLE = "BOOLATTN_MILVUS_TOKEN"
_KNOWN = (
    "lance:///folder/name or lance://folder/name for files, lance+s3://bucket/folder/name (or +gs, +az) for object "
    "storage, milvus://host:port/name for a Milvus server"
)


def open_engine(uri: str) -> Engine:
    """Return the index at an address, whether it is there yet or not.

    Args:
        uri: ``lance:///folder/name``, or ``lance://folder/name`` from where you are: a table in a folder.
            ``lance+s3://bucket/folder/name``, and so on: the same in object storage, as LanceDB knows it.
            ``milvus://host:port/name``: a collection of a Milvus server or cluster; a token, if it wants one, is read
            from the variable ``BOOLATTN_MILVUS_TOKEN``.
    """
    parts = urlsplit(uri)
    where, _, name = f"{parts.netloc}{parts.path}".rpartition("/")
    if not name or parts.query or parts.fragment:
        raise ValueError(f"{uri!r} does not end in the name of an index; known are {_KNOWN}")
    if parts.scheme == "lance":
        from boolattn.retrieval.engines.lance import LanceEngine

        # "lance:///films" is the table films in the root folder, "lance://films" one in the folder we are in.
        return LanceEngine(where or ("/" if parts.path else "."), name, uri)
    if parts.scheme.startswith("lance+"):
        from boolattn.retrieval.engines.lance import LanceEngine

        return LanceEngine(f"{parts.scheme.removeprefix('lance+')}://{where}", name, uri)
    if parts.scheme == "milvus":
        from boolattn.retrieval.engines.milvus import MilvusEngine

        return MilvusEngine(f"http://{where}", name, uri, token=os.environ.get(TOKEN_VARIABLE, ""))
    raise ValueError(f"{uri!r} is of no known engine; known are {_KNOWN}")

"""pymilvus's client, whose errors become ours, and waiting for what a server does after writes. Needs pymilvus."""

import time
from typing import Any

SMALL = 5_000
"""Rows up to which a segment needs no graph: there, Milvus compares every vector."""
PATIENCE = 3600.0
"""Seconds without any progress after which the server is given up."""


class MilvusServerError(OSError):
    """A Milvus server does not answer, or refuses."""


class MilvusCalls:
    """Every method of ``MilvusClient``, by its own name."""

    def __init__(self, address: str, token: str, uri: str) -> None:
        """Connect to a server, as ``http://host:port``; the ``uri`` is for messages."""
        try:
            from pymilvus import MilvusClient, MilvusException
        except ImportError as error:
            raise ImportError("milvus:// needs the package pymilvus: pip install boolattn[milvus]") from error
        self.uri, self.failure = uri, MilvusException
        try:
            self.client = MilvusClient(address, token=token)
        except MilvusException as error:
            raise MilvusServerError(
                f"no Milvus server answers at {address}: is it running? ({error.message})"
            ) from error

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)

        def call(*given: Any, **settings: Any) -> Any:
            try:
                return method(*given, **settings)
            except self.failure as error:
                raise MilvusServerError(f"{self.uri}: {name} failed, the server says: {error.message}") from error

        return call


def wait_until_searched(client: Any, name: str) -> None:
    """Wait until every large segment of a collection has its graph, and all graphs are loaded."""
    # Milvus would do this by itself some time later, and build the graphs of what it put together only then.
    compaction = client.compact(name)
    seen, since = None, time.monotonic()
    while True:
        state = (client.get_compaction_state(compaction), *_segments(client, name))
        compacted, without_graph = state[0] == "Completed", state[1]
        if compacted and not without_graph:
            return
        if state != seen:
            seen, since = state, time.monotonic()
        elif time.monotonic() - since > PATIENCE:
            raise TimeoutError(f"{name}: the index is not done, and nothing moves any more: see the server's logs")
        time.sleep(0.5)


def _segments(client: Any, name: str) -> tuple[set[int], set[int]]:
    """Return the large segments that are not searched by a graph, and those that are."""
    large = {segment.segment_id for segment in client.list_persistent_segments(name) if segment.num_rows > SMALL}
    loaded = {segment.segment_id for segment in client.list_loaded_segments(name) if segment.index_name}
    return large - loaded, large & loaded

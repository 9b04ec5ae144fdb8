"""pymilvus's client with our error types, and waiting for a server's background work. Needs pymilvus."""

import time
import warnings
from typing import Any

from boolattn.retrieval.index.deadline import timeout_of

SMALL = 5_000
"""Segments up to this many rows need no graph: Milvus compares all of their vectors."""
PATIENCE = 3600.0
"""Seconds without progress before giving up."""
CONNECT_TIMEOUT, CALL_TIMEOUT = 10.0, 60.0
"""Timeouts in seconds for connecting, and for a call."""
LONG_TIMEOUTS = {
    **dict.fromkeys(("flush", "load_collection", "create_index"), 600.0),
    **dict.fromkeys(("insert", "upsert", "delete"), 300.0),
}
"""Timeouts of calls that take longer."""


class MilvusServerError(OSError):
    """A Milvus server does not respond, or refuses a request."""


class MilvusCalls:
    """Every method of ``MilvusClient``, under its own name."""

    def __init__(self, address: str, token: str, uri: str) -> None:
        """Connect to a server, as ``http://host:port``; the ``uri`` is for messages."""
        try:
            from grpc import RpcError  # raised by a call that times out
            from pymilvus import MilvusClient, MilvusException
        except ImportError as error:
            raise ImportError("milvus:// needs the package pymilvus: pip install 'boolattn[milvus]'") from error
        self.uri, self.failures, self._token = uri, (MilvusException, RpcError), token
        if token and address.startswith("http://"):
            warnings.warn(f"{uri} is not encrypted, so others may read the token: use milvus+tls://", stacklevel=3)
        try:
            self.client = MilvusClient(address, token=token, timeout=CONNECT_TIMEOUT)
        except self.failures as error:
            raise MilvusServerError(
                f"no Milvus server answers at {address}: is it running? ({self._message(error)})"
            ) from error

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)

        def call(*given: Any, **settings: Any) -> Any:
            try:
                return method(*given, **{"timeout": timeout_of(LONG_TIMEOUTS.get(name, CALL_TIMEOUT)), **settings})
            except self.failures as error:
                raise MilvusServerError(f"{self.uri}: {name} failed: {self._message(error)}") from error

        return call

    def close(self) -> None:
        """Close the connection."""
        self.client.close()

    def _message(self, error: Any) -> str:
        """Return the message of an error, without the token."""
        message: str = error.message if hasattr(error, "message") else error.details()
        return message.replace(self._token, "***") if self._token else message


def wait_until_searched(client: Any, name: str) -> None:
    """Wait until every large segment of a collection has its graph, and all graphs are loaded."""
    # Milvus would compact later anyway, and build the graphs of compacted segments only then.
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
            raise TimeoutError(f"{name}: index building has stalled: see the server's logs")
        time.sleep(0.5)


def _segments(client: Any, name: str) -> tuple[set[int], set[int]]:
    """Return the large segments without a graph, and those with one."""
    large = {segment.segment_id for segment in client.list_persistent_segments(name) if segment.num_rows > SMALL}
    loaded = {segment.segment_id for segment in client.list_loaded_segments(name) if segment.index_name}
    return large - loaded, large & loaded

"""Waiting for a Milvus server to finish what it does after writes."""

import time
from typing import Any

SMALL = 5_000
"""Rows up to which a segment needs no graph: there, Milvus compares every vector."""
PATIENCE = 3600.0
"""Seconds without any progress after which the server is given up."""


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

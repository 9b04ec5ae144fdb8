"""pymilvus's client, whose errors become ours. Needs pymilvus."""

from typing import Any


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

"""The fixtures of the library's tests that need real indexes and a real server."""

from tests.retrieval.conftest import lasting_uri, place_of
from tests.service.conftest import model, server, vectors

__all__ = ["lasting_uri", "model", "place_of", "server", "vectors"]

"""Rerank what a search has found; a model server that speaks the format of text-embeddings-inference is asked."""

import json
import sys
from urllib.request import Request, urlopen

from boolattn import rerank

url = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8080"
found = ["Onion soup", "Soup without onions", "Carrot soup", "Minestrone", "Borscht"]  # by any search, best first


def verify(query: str, text: str) -> float:
    """Return how well a text answers a query."""
    body = json.dumps({"query": query, "texts": [text]}).encode()
    request = Request(f"{url}/rerank", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=10) as answer:
        return float(json.load(answer)[0]["score"])


hits = rerank("soup without onions", found, documents="things", verifier=verify, drop=True)
for hit in hits:
    print(f"{hit.score:6.3f}  {found[hit.place]}")
print(f"{hits.dropped} dropped")

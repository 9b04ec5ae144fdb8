"""Rerank what a search has found; a cross-encoder is asked about what words do not decide."""

import sys

from sentence_transformers import CrossEncoder

from boolattn import rerank

name = sys.argv[1] if len(sys.argv) > 1 else "cross-encoder/ms-marco-MiniLM-L6-v2"
model = CrossEncoder(name, num_labels=1)
found = [  # by any search, best first
    "A platoon of American soldiers fights in the war in Vietnam.",
    "Two teenagers fall in love in the streets of Hanoi.",
    "A cooking show travels through the markets of Vietnam. No war, just food.",
    "A love story in Paris.",
]


def verify(query: str, text: str) -> float:
    """Return how well a text answers a query."""
    return float(model.predict([(query, text)], show_progress_bar=False)[0])


for hit in rerank("movies set in Vietnam but not about war", found, verifier=verify):
    print(f"{hit.score:6.3f}  {found[hit.place]}")
    print("       ", "; ".join(f"{atom.text}: {atom.found}" for atom in hit.atoms))
    if hit.verified is not None:
        print(f"        verifier: {hit.verified:+.3f}")

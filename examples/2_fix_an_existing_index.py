"""Make *not* work on an existing index, without re-indexing."""

import sys

from sentence_transformers import SentenceTransformer

from boolattn import DualEncoder

name = sys.argv[1] if len(sys.argv) > 1 else "sentence-transformers/all-MiniLM-L6-v2"
documents = [
    "A platoon of American soldiers fights in the jungle of Vietnam.",
    "Helicopters, napalm and the fall of Saigon.",
    "A cooking show travels through the markets of Vietnam.",
    "Two teenagers fall in love in the streets of Hanoi.",
    "A love story in Paris.",
]

index = SentenceTransformer(name).encode(documents)  # yesterday's index

model = DualEncoder.training_free(name)  # today: one line
query = "movies set in Vietnam but not about war"
before = SentenceTransformer(name).encode(query)
after = model.encode_query(query)  # one vector, for any engine

for title, vector in (("before", before), ("after", after)):
    print(f"{title}:")
    scores = index @ vector
    for number in scores.argsort()[::-1][:3]:
        print(f"  {scores[number]:.3f}  {documents[number]}")

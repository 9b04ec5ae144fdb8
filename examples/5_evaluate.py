"""Evaluate a model on your own catalog: queries, answers and near misses are generated from its attributes.

Needs the laboratory: pip install . ./lab
"""

import sys
from itertools import islice, product

from ir_measures import P
from sentence_transformers import SentenceTransformer

from boolattn import DualEncoder
from boolattn_lab.benchmarks.measures import per_query, violation
from boolattn_lab.benchmarks.significance import means
from boolattn_lab.benchmarks.systems import DenseRetriever
from boolattn_lab.catalogs.atoms import Column, Phrases
from boolattn_lab.catalogs.catalog import build_catalog
from boolattn_lab.catalogs.generator import generate

name = sys.argv[1] if len(sys.argv) > 1 else "sentence-transformers/all-MiniLM-L6-v2"

# A catalog has rows of values by column (read them from files with read_csv_rows or read_jsonl_rows) and phrases
# for those values.
genres, places = ["comedy", "western", "horror", "war", "romance"], ["Italy", "Japan", "Brazil", "Norway"]
films = {
    f"{first} {second} {place}": {"genre": list(dict.fromkeys([first, second])), "place": [place]}
    for first, second, place in product(genres, genres, places)
}
columns = [
    Column("genre", Phrases(noun=("{value} {head}",), modifier=("{value}",))),
    Column("place", Phrases(noun=("{head} set in {value}",), post=("set in {value}",), are=("set in {value}",))),
]
catalog = build_catalog(films.items(), columns, heads=("films",))
documents = {film: f"A {' and '.join(row['genre'])} film set in {row['place'][0]}." for film, row in films.items()}

generated = islice(generate(catalog, seed=0, templates=["_ that are not _"]), 50)
queries = {f"query {number}": query for number, query in enumerate(generated)}
answers = {key: set(catalog.ids_of(query.answers)) for key, query in queries.items()}
near_misses = {key: set(catalog.ids_of(query.near_misses)) for key, query in queries.items()}
print("for example:", queries["query 0"].text)

for title, model in (("bare", SentenceTransformer(name)), ("training-free", DualEncoder.training_free(name))):
    texts = {key: query.text for key, query in queries.items()}
    retriever = DenseRetriever(title, model, progress=False).over("things")  # each document is a film
    run = retriever.rank(texts, documents.items(), k=5, document_tokens=128)
    measured = means(per_query([P @ 5, violation @ 5], run, answers, near_misses))
    print(f"{title}: " + ", ".join(f"{measure} {value:.3f}" for measure, value in measured.items()))

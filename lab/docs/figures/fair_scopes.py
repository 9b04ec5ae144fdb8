"""Print what a trained mechanism does with *not*: python lab/docs/figures/fair_scopes.py --data DIR --model FOLDER.

For held-out queries that exclude something, with given operators: how well it finds cues and scopes, what it adds to
attention (before the softmax), and how much attention the excluded words then receive. Means over layers and heads.
"""

import argparse
from pathlib import Path

import numpy as np

import boolattn
from boolattn.reading.spans import token_labels
from boolattn_lab.benchmarks.report import markdown_table
from boolattn_lab.benchmarks.sets.generated import sample_queries
from boolattn_lab.catalogs.debian import debian_domain
from boolattn_lab.catalogs.expressions import TEMPLATES
from boolattn_lab.catalogs.films import films_domain
from boolattn_lab.catalogs.generator import GeneratedQuery
from boolattn_lab.formats.folder import DataFolder

QUERIES = 100
HEADER = [
    "",
    "cue: cue words",
    "other words",
    "in scope: excluded words",
    "other words",
    "added to attention: excluded words",
    "other words",
    "attention to excluded words: gates closed",
    "given",
]


def main() -> None:
    """Print one row per corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--model", required=True)
    arguments = parser.parse_args()
    model, data = boolattn.DualEncoder(arguments.model), DataFolder(arguments.data)
    templates = tuple(template for template in TEMPLATES if "not" in template.split())
    rows = []
    for name, domain in (("films, meaning", films_domain(data)), ("debian", debian_domain(data))):
        queries = [query for _, query in sample_queries(domain.catalog, "meaning", "test", templates)][:QUERIES]
        means = np.mean([_of_query(model, query) for query in queries], axis=0)
        rows.append([f"{name} ({len(queries)} queries)", *(f"{value:.3f}" for value in means)])
    print(markdown_table(HEADER, rows, 1))


def _of_query(model: boolattn.DualEncoder, query: GeneratedQuery) -> list[float]:
    found = boolattn.explain(model, query.text, query.operators)
    number = found.operators.index("not")
    words = np.array([span.end > span.start for span in found.spans])  # the others are special tokens
    cues, excluded = (
        np.array(token_labels(found.spans, spans["not"]), dtype=bool) & words for spans in (query.cues, query.scopes)
    )
    scopes, biases = found.scopes[..., number].mean(0), found.biases[..., number].mean(0)
    received = [layers.mean(0)[excluded].sum() for layers in (found.attention_before, found.attention_after)]
    return [
        *(found.cues[group, number].mean() for group in (cues, words & ~cues)),
        *(values[group].mean() for values in (scopes, biases) for group in (excluded, words & ~excluded)),
        *received,
    ]


if __name__ == "__main__":
    main()

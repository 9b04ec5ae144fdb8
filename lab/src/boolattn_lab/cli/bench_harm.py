"""boolattn-lab bench operators-harm: what acting on *and* and *or* does to real queries."""

from pathlib import Path
from typing import Annotated

import typer

from boolattn.cli.errors import user_errors
from boolattn.cli.options import DEFAULT_MODEL, AsJson, Backbone, Model
from boolattn_lab.cli.options import Data


def operators_harm(
    data: Data,
    model: Model = DEFAULT_MODEL,
    backbone: Backbone = None,
    keep: Annotated[
        Path | None, typer.Option(help="Keep a LanceDB index in this folder; by default, the index is in memory.")
    ] = None,
    changed: Annotated[
        Path | None,
        typer.Option(
            help="Write fifty changed queries to this Markdown file, to be judged; the key is in FILE.key.json."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare a whole search with a plain one on real queries with "and", "or" or "&", over 50,000 introductions."""
    from boolattn.backbones.storage.model_names import load_encoder, title_of
    from boolattn.retrieval.index.open_index import open_index
    from boolattn_lab.benchmarks.operators_harm.judging import changed_in_view, write_pairs
    from boolattn_lab.benchmarks.operators_harm.output import print_overlaps
    from boolattn_lab.benchmarks.operators_harm.overlap import Overlap, index_introductions, overlaps
    from boolattn_lab.benchmarks.operators_harm.sample import SOURCES, choose_introductions, choose_queries
    from boolattn_lab.benchmarks.systems import DenseRetriever
    from boolattn_lab.formats.folder import DataFolder

    with user_errors():
        folder = DataFolder(data)
        queries, documents = choose_queries(folder), choose_introductions(folder)
        dense = DenseRetriever(title_of(model), load_encoder(model, backbone))
        opened = None if keep is None else open_index(f"lance://{keep.resolve()}/introductions")
        index = index_introductions(dense, documents, opened)
        found = overlaps(dense, index, queries)
        figures = {way: {source: Overlap.of(each) for source, each in rows.items()} for way, rows in found.items()}
    print_overlaps(dense.name, len(documents), figures, as_json)
    if changed is not None:
        pairs = changed_in_view(found["vectors"][next(iter(SOURCES))])
        key = write_pairs(pairs, {each.doc_id: each for each in documents}, changed)
        typer.echo(f"{len(pairs)} pairs to judge are in {changed}, the key is in {key}", err=True)

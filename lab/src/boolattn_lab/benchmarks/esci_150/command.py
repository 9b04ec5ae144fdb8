"""The command."""

from typing import Annotated, Literal

import typer

from boolattn.cli.errors import user_errors
from boolattn.cli.options import DEFAULT_MODEL, AsJson, Backbone, HowSure, Model, ReaderName

AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")]


def esci_150(
    model: Model = DEFAULT_MODEL,
    backbone: Backbone = None,
    reader: ReaderName = None,
    strictness: HowSure = None,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Search real products for real shop queries: plain vectors, signed vectors and whole searches (ESCI-150)."""
    from boolattn.backbones.storage.model_names import load_encoder, title_of
    from boolattn_lab.benchmarks.esci_150.output import print_ways
    from boolattn_lab.benchmarks.esci_150.ways import compare_ways
    from boolattn_lab.benchmarks.sets import esci_150 as benchmark

    form: Literal["json", "markdown", "table"] = "json" if as_json else "markdown" if as_markdown else "table"
    with user_errors():
        excluded = {query: labels.excluded or () for query, labels in benchmark.labels_by_query().items()}
        title, loaded = title_of(model), load_encoder(model, backbone)
        print_ways(title, compare_ways(benchmark.task(), excluded, loaded, title, reader, strictness), form)

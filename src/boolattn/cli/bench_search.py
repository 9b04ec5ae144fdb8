"""boolattn bench search."""

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table


def search(
    index: Annotated[str, typer.Option(help="Where to make an index to measure, and to drop it: a new name.")],
    data: Annotated[Path, typer.Option(envvar="BOOLATTN_DATA", help="The folder with the benchmarks' data.")],
    model: Annotated[
        str, typer.Option(help="A shipped adapter, a saved Boolean model, or training-free:NAME.")
    ] = "minilm-l6",
    backbone: Annotated[
        str | None,
        typer.Option(envvar="BOOLATTN_BACKBONE", help="The backbone of a shipped adapter: a folder or hub name."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long to measure searches.")] = 60.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Encoding and searching films next to the bare model and the bare client; recall under filters; each stage."""
    from boolattn.bench.search_cost import measure_search
    from boolattn.encoders.storage.model_names import load_boolean, title_of
    from boolattn.evaluation.benchmarks.generated import drawn, films_domain
    from boolattn.evaluation.tasks import DataFolder
    from boolattn.generation.wordings.templates import TEMPLATES

    try:
        films = films_domain(DataFolder(data))
        queries = [query.text for _, query in drawn(films.catalog, "meaning", "validation", tuple(TEMPLATES))]
        loaded = load_boolean(model, backbone)
        cost = measure_search(loaded, title_of(model), index, films.documents, queries, seconds)
    except (ValueError, OSError, ImportError) as error:
        raise typer.BadParameter(str(error)) from error
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(cost), indent=2))
        return
    table = Table("what", "figure", title=f"{cost.documents:,} films in {index}")
    table.add_row("rate of encoding / of the bare loop", f"{cost.encode_ratio:.3f}")
    table.add_row("rate of searching, dense leg / of the bare client", f"{cost.search_ratio:.3f}")
    for share, recall in cost.filtered_recall.items():
        table.add_row(f"recall@100, filter that {float(share):.0%} fulfil", f"{recall:.3f}")
    for stage, milliseconds in cost.stages_ms.items():
        table.add_row(f"search, {stage}, ms", f"{milliseconds:.1f}")
    Console().print(table)

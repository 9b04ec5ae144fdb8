"""Options shared by several commands of the laboratory, beside those of ``boolattn.cli.options``."""

from pathlib import Path
from typing import Annotated

import typer

from boolattn.cli.options import MODEL_HELP

_DATA = typer.Option("--data", envvar="BOOLATTN_DATA", help="Folder with the benchmark and training data.")

Systems = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help=f"{MODEL_HELP} Also rewritten:NAME, that model with rewritten queries, as boolattn search uses it; "
        "flip:BETA:NAME, bm25, rules or learned; may be repeated.",
    ),
]
Data = Annotated[Path, _DATA]
DataIfNeeded = Annotated[Path | None, _DATA]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")]

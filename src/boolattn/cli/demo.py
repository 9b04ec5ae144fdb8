"""boolattn demo, boolattn dev demo-vectors."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from boolattn.cli.errors import user_errors
from boolattn.cli.options import Backbone


def demo() -> None:
    """Show what changes for three queries over a few films: no data, no network, no torch."""
    from boolattn.demo.answers import answer, read_queries
    from boolattn.demo.films import load_films
    from boolattn.demo.output import render

    with user_errors():
        index = load_films()
        answers = [answer(index, reading) for reading in read_queries()]
    Console().print(render(answers, len(index.films)))


def demo_vectors(
    out: Annotated[Path | None, typer.Option(help="The file to write; by default the one that ships.")] = None,
    backbone: Backbone = None,
) -> None:
    """Compute the vectors of `boolattn demo`: after a change of its films, its queries or the shipped reader."""
    from sentence_transformers import SentenceTransformer

    from boolattn.demo.answers import read_queries
    from boolattn.demo.films import BACKBONE, VECTORS_FILE, write_vectors

    path = out or VECTORS_FILE
    with user_errors():
        model = SentenceTransformer(backbone or BACKBONE)
        count = write_vectors(path, model.encode, read_queries())
    typer.echo(f"{path}: {count} vectors, {path.stat().st_size / 1000:.0f} kB")

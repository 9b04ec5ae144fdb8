"""boolattn index."""

from pathlib import Path
from typing import Annotated

import typer

from boolattn.reading.reading import Documents


def index(
    folder: Annotated[Path, typer.Argument(help="What boolattn encode made.")],
    engine: Annotated[
        str, typer.Option(help="Where to: lance:///folder/name for files, milvus://host:port/name for a server.")
    ],
    documents: Annotated[
        Documents | None,
        typer.Option(
            help="What the documents are: things, such as films and products, or pages about them; searches act on "
            "properties (films that are not comedies) of things alone."
        ),
    ] = None,
) -> None:
    """Make an index hold the documents of a folder, and no others; a run that was stopped goes on where it was."""
    import shlex
    import time

    from boolattn.retrieval.index.fill import UnfinishedIndexError, index_folder
    from boolattn.retrieval.index.opening import open_engine

    started = time.monotonic()
    try:
        opened = open_engine(engine)
        done = index_folder(folder, opened, documents=documents)
        opened.close()
    except (ValueError, OSError, ImportError, UnfinishedIndexError) as error:
        raise typer.BadParameter(str(error)) from error
    removed = f", {done.removed} that are not in {folder} removed" if done.removed else ""
    typer.echo(f"{engine}: {done.documents} documents, {done.written} written now{removed}")
    typer.echo(f"{time.monotonic() - started:.1f} s")
    typer.echo(f'next: boolattn search "..." --engine {shlex.quote(engine)}')

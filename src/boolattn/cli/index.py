"""boolattn index."""

from pathlib import Path
from typing import Annotated

import typer

from boolattn.reading.reading import Documents


def index(
    folder: Annotated[Path, typer.Argument(help="What boolattn encode made.")],
    index: Annotated[
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
    """Make an index hold the documents of a folder, and no others; a run that was stopped resumes."""
    import shlex
    import time

    from boolattn.retrieval.index.fill import UnfinishedIndexError, index_folder
    from boolattn.retrieval.index.open_index import open_index, parse_address

    started = time.monotonic()
    try:
        if parse_address(index).backend == "memory":
            raise ValueError(
                f"{index} would be gone when this command ends: memory:// is for Python, see docs/search.md"
            )
        opened = open_index(index)
        done = index_folder(folder, opened, documents=documents)
        opened.close()
    except (ValueError, OSError, ImportError, UnfinishedIndexError) as error:
        raise typer.BadParameter(str(error)) from error
    removed = f", {done.removed} that are not in {folder} removed" if done.removed else ""
    typer.echo(f"{index}: {done.documents} documents, {done.written} written now{removed}")
    typer.echo(f"{time.monotonic() - started:.1f} s")
    typer.echo(f'next: boolattn search "..." --index {shlex.quote(index)}')

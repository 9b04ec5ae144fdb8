"""boolattn drop."""

from typing import Annotated

import typer


def drop(
    index: Annotated[str, typer.Option(help="The index, as boolattn index was given it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove an index and all it holds; the folder it was made from stays."""
    from boolattn.retrieval.index.open_index import open_index

    try:
        opened = open_index(index)
        documents = opened.count()
        if not yes:
            typer.confirm(f"Remove {index} and its {documents} documents?", abort=True)
        opened.drop()
        opened.close()
    except (ValueError, OSError, ImportError) as error:
        raise typer.BadParameter(str(error)) from error
    typer.echo(f"{index}: {documents} documents removed")

"""boolattn encode, boolattn index, boolattn drop: from a corpus to an index."""

import shlex
import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from boolattn.cli.errors import user_errors
from boolattn.cli.options import Backbone, DocumentsAre, Index, Model


def encode(
    corpus: Annotated[
        Path, typer.Argument(help="A .jsonl (also .gz, .zst) or .parquet file, a BEIR folder, or a folder of files.")
    ],
    model: Model,
    out: Annotated[Path, typer.Option(help="The folder for the vectors; if it was begun before, encoding resumes.")],
    precision: Annotated[
        Literal["float32", "float16", "int8"], typer.Option(help="How to store the vectors.")
    ] = "float32",
    id_field: Annotated[
        str, typer.Option("--id", help="The field with the id, if not _id, id or doc_id; '#' numbers the documents.")
    ] = "",
    title_field: Annotated[str, typer.Option("--title", help="The field with the title.")] = "title",
    text_field: Annotated[str, typer.Option("--text", help="The field with the text.")] = "text",
    backbone: Backbone = None,
    ray: Annotated[bool, typer.Option("--ray", help="Encode on Ray, with several models at once.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="With --ray: how many models at once.")] = 1,
    ray_address: Annotated[
        str | None, typer.Option(help="With --ray: the cluster, if not one on this machine alone.")
    ] = None,
) -> None:
    """Encode a corpus into a folder of Parquet shards; run it again after an interruption to resume."""
    if not ray and (workers > 1 or ray_address is not None):
        raise typer.BadParameter("--workers and --ray-address go with --ray; without it, one model uses all cores")

    from boolattn.encoders.storage.model_names import load_encoder, title_of
    from boolattn.retrieval.corpus.documents import Fields, survey
    from boolattn.retrieval.vectors.encoding import encode_corpus

    with user_errors():
        run = None
        if ray:
            from boolattn.retrieval.vectors.ray_encoding import on_ray

            run = on_ray(model, backbone, workers, ray_address)
        documents = survey(corpus, Fields(id_field, title_field, text_field))
        encoder = load_encoder(model, backbone)
        done = encode_corpus(documents, encoder, out, name=title_of(model), precision=precision, run=run)
    manifest = done.manifest
    size = sum((out / shard.file).stat().st_size for shard in manifest.shards)
    typer.echo(f"{out}: {manifest.documents} documents in {_shards(len(manifest.shards))}, {size / 1e6:.1f} MB")
    if done.documents:
        typer.echo(f"encoded {done.documents} of them now, {done.documents / done.seconds:.0f} documents/s")
    else:
        typer.echo("all were there already")
    typer.echo(f"next: boolattn index {out} --index lance:///{Path('index').absolute().relative_to('/')}")


def _shards(count: int) -> str:
    return "1 shard" if count == 1 else f"{count} shards"


def index(
    folder: Annotated[Path, typer.Argument(help="What boolattn encode made.")],
    index: Index,
    documents: DocumentsAre = None,
) -> None:
    """Make an index hold the documents of a folder, and no others; run it again after an interruption to resume."""
    from boolattn.retrieval.index.fill import UnfinishedIndexError, index_folder
    from boolattn.retrieval.index.open_index import open_index, parse_address

    started = time.monotonic()
    with user_errors(UnfinishedIndexError):
        if parse_address(index).backend == "memory":
            raise ValueError(
                f"{index} would be gone when this command ends: memory:// is for Python, see docs/search.md"
            )
        opened = open_index(index)
        done = index_folder(folder, opened, documents=documents)
        opened.close()
    removed = f", {done.removed} that are not in {folder} removed" if done.removed else ""
    typer.echo(f"{index}: {done.documents} documents, {done.written} written now{removed}")
    typer.echo(f"{time.monotonic() - started:.1f} s")
    typer.echo(f'next: boolattn search "..." --index {shlex.quote(index)}')


def drop(
    index: Index,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove an index and all it holds; the folder it was made from stays."""
    from boolattn.retrieval.index.open_index import open_index

    with user_errors():
        opened = open_index(index)
        documents = opened.count()
        if not yes:
            typer.confirm(f"Remove {index} and its {documents} documents?", abort=True)
        opened.drop()
        opened.close()
    typer.echo(f"{index}: {documents} documents removed")

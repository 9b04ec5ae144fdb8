"""boolattn encode, boolattn index, boolattn drop: corpus -> index."""

import re
import shlex
import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from boolattn.cli.errors import user_errors
from boolattn.cli.options import Backbone, DocumentsAre, Index, Model, note_undeclared, require_output_folder


def encode(
    corpus: Annotated[
        Path, typer.Argument(help="A .jsonl (also .gz, .zst) or .parquet file, a BEIR folder, or a folder of files.")
    ],
    model: Model,
    out: Annotated[Path, typer.Option(callback=require_output_folder, help="Output folder; unfinished runs resume.")],
    precision: Annotated[
        Literal["float32", "float16", "int8"], typer.Option(help="How to store the vectors.")
    ] = "float32",
    id_field: Annotated[
        str, typer.Option("--id", help="The ID field, if not _id, id or doc_id; '#' numbers the documents.")
    ] = "",
    title_field: Annotated[str, typer.Option("--title", help="The field with the title.")] = "title",
    text_field: Annotated[str, typer.Option("--text", help="The field with the text.")] = "text",
    documents: DocumentsAre = None,
    shard_documents: Annotated[
        int | None,
        typer.Option(min=1, help="Documents per shard, the most that an interrupted run loses; by default, 8192."),
    ] = None,
    backbone: Backbone = None,
    ray: Annotated[bool, typer.Option("--ray", help="Encode on Ray, with several models in parallel.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="With --ray: number of models in parallel.")] = 1,
    ray_address: Annotated[
        str | None, typer.Option(help="With --ray: the cluster's address; by default, this machine only.")
    ] = None,
) -> None:
    """Encode a corpus into a folder of Parquet shards; unfinished runs resume."""
    if not ray and (workers > 1 or ray_address is not None):
        raise typer.BadParameter("--workers and --ray-address need --ray; without it, one model uses all cores")

    from boolattn.retrieval.corpus.documents import Fields, survey

    with user_errors():
        # Before imports that take seconds.
        _require_output(out, corpus, precision)
        found = survey(corpus, Fields(id_field, title_field, text_field))

        from boolattn.backbones.storage.model_names import load_encoder, title_of
        from boolattn.retrieval.shards.encoding import SHARD_DOCUMENTS, encode_corpus

        run = None
        if ray:
            from boolattn.retrieval.shards.ray_encoding import on_ray

            run = on_ray(model, backbone, workers, ray_address)
        encoder = load_encoder(model, backbone)
        done = encode_corpus(
            found,
            encoder,
            out,
            name=title_of(model),
            documents_are=documents,
            precision=precision,
            shard_documents=shard_documents or SHARD_DOCUMENTS,
            run=run,
        )
    manifest = done.manifest
    size = sum((out / shard.file).stat().st_size for shard in manifest.shards)
    typer.echo(f"{out}: {manifest.documents} documents in {_shards(len(manifest.shards))}, {size / 1e6:.1f} MB")
    if done.documents:
        typer.echo(f"encoded {done.documents} in this run, {done.documents / done.seconds:.0f} documents/s")
    else:
        typer.echo("nothing to do: all documents were already encoded")
    name = re.sub(r"\W+", "_", corpus.absolute().name.split(".")[0]) or "documents"
    typer.echo(f"next: boolattn index {shlex.quote(str(out))} --index lance://index/{name}")


def _require_output(out: Path, corpus: Path, precision: str) -> None:
    """Raise if the output folder is for something else, as far as can be seen without the model."""
    from boolattn.retrieval.shards.manifest import BadManifestError, Manifest

    if out.resolve() == corpus.resolve():
        raise ValueError(f"{out} is the corpus: write the vectors to another folder")
    try:
        before = Manifest.read(out).precision
    except BadManifestError:  # new or unfinished
        return
    if before != precision:
        raise ValueError(f"{out} has precision {before}, not {precision}: use that precision, or another --out")


def _shards(count: int) -> str:
    return "1 shard" if count == 1 else f"{count} shards"


def index(
    folder: Annotated[Path, typer.Argument(help="Output folder of boolattn encode.")],
    index: Index,
    documents: DocumentsAre = None,
    remove: Annotated[
        bool,
        typer.Option("--remove", help="Remove documents that are not in the folder, even if more than a tenth of all."),
    ] = False,
) -> None:
    """Make an index match a folder of vectors: write new documents, remove others; unfinished runs resume."""
    from boolattn.retrieval.index.fill import UnfinishedIndexError, index_folder
    from boolattn.retrieval.index.open_index import open_index, parse_address

    started = time.monotonic()
    with user_errors(UnfinishedIndexError):
        if parse_address(index).backend == "memory":
            raise ValueError(
                f"{index} would disappear when this command ends: use memory:// from Python (docs/search.md)"
            )
        opened = open_index(index)
        done = index_folder(folder, opened, documents=documents, remove=remove)
        opened.close()
    removed = f", {done.removed} removed that are not in {folder}" if done.removed else ""
    typer.echo(f"{index}: {done.documents} documents, {done.written} written in this run{removed}")
    typer.echo(f"{time.monotonic() - started:.1f} s")
    if done.documents_are is None:
        note_undeclared(index)
    typer.echo(f'next: boolattn search "..." --index {shlex.quote(index)}')


def drop(
    index: Index,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete an index and its documents, even if unfinished; the folder it was built from is kept."""
    from boolattn.retrieval.index.description import MissingIndexError
    from boolattn.retrieval.index.open_index import open_index

    with user_errors():
        opened = open_index(index)
        try:
            documents = opened.count()
        except MissingIndexError:  # a first run of boolattn index may have been interrupted
            documents = opened.unpublished().count()
        with opened.write_lock():
            if not yes:
                typer.confirm(f"Remove {index} and its {documents} documents?", abort=True)
            opened.drop()
        opened.close()
    typer.echo(f"{index}: {documents} documents removed")

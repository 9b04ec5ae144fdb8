"""boolattn encode."""

from pathlib import Path
from typing import Annotated, Literal

import typer


def encode(
    corpus: Annotated[
        Path, typer.Argument(help="A .jsonl (also .gz, .zst) or .parquet file, a BEIR folder, or a folder of files.")
    ],
    model: Annotated[str, typer.Option(help="A model's folder or hub name, a shipped adapter, or training-free:NAME.")],
    out: Annotated[Path, typer.Option(help="The folder for the vectors; one begun before is resumed.")],
    precision: Annotated[
        Literal["float32", "float16", "int8"], typer.Option(help="How to store the vectors.")
    ] = "float32",
    id_field: Annotated[
        str, typer.Option("--id", help="The field with the id, if not _id, id or doc_id; '#' numbers the documents.")
    ] = "",
    title_field: Annotated[str, typer.Option("--title", help="The field with the title.")] = "title",
    text_field: Annotated[str, typer.Option("--text", help="The field with the text.")] = "text",
    backbone: Annotated[
        str | None,
        typer.Option(envvar="BOOLATTN_BACKBONE", help="The backbone of a shipped adapter: a folder or hub name."),
    ] = None,
    engine: Annotated[Literal["local", "ray"], typer.Option(help="Where to encode.")] = "local",
    workers: Annotated[int, typer.Option(min=1, help="With --engine ray: how many models at once.")] = 1,
    ray_address: Annotated[
        str | None, typer.Option(help="With --engine ray: the cluster, if not one on this machine alone.")
    ] = None,
) -> None:
    """Encode a corpus into a folder of Parquet shards; a run that was stopped resumes."""
    if engine == "local" and (workers > 1 or ray_address is not None):
        raise typer.BadParameter("--workers and --ray-address go with --engine ray; here, one model uses all cores")

    from boolattn.encoders.storage.model_names import load_encoder, title_of
    from boolattn.retrieval.corpus.documents import Fields, survey
    from boolattn.retrieval.vectors.encoding import encode_corpus

    try:
        run = None
        if engine == "ray":
            from boolattn.retrieval.vectors.ray_encoding import on_ray

            run = on_ray(model, backbone, workers, ray_address)
        documents = survey(corpus, Fields(id_field, title_field, text_field))
        encoder = load_encoder(model, backbone)
        done = encode_corpus(documents, encoder, out, name=title_of(model), precision=precision, run=run)
    except (ValueError, OSError, ImportError) as error:
        raise typer.BadParameter(str(error)) from error
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

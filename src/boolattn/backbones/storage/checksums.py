"""Refuse a saved model whose files have changed since saving: this detects damage, not tampering.

Anyone who can change a file can also change its checksum.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import msgspec

from boolattn.reading.model_files import file_digest

CHECKSUMS_FILE = "boolattn_checksums.json"
MODULES_FILE, ROUTES_FILE = "modules.json", "router_config.json"
_ROOT_FILES = (MODULES_FILE, ROUTES_FILE, "config_sentence_transformers.json")
# A tokenizer consists of JSON, text, a SentencePiece model or a template.
_WEIGHTS, _SETTINGS = (".safetensors",), (".json", ".txt", ".model", ".jinja")
_TOWER = "BooleanTower"  # named in ``router_config.json`` of a Boolean model


class ChangedWeightsError(ValueError):
    """A file of a model is not the one that was saved."""

    @classmethod
    def of(cls, name: str, model: str, missing: bool) -> Self:
        """Create the error for a file of a model."""
        return cls(
            f"{name} of {model} is {'missing' if missing else 'not the file that was saved'}: damaged or changed. Get "
            f"the model again, or, if you changed it yourself, save it again from Python"
        )


def write_checksums(folder: Path) -> None:
    """Record the digest of every file that loading the model reads, and of no other file in its folder."""
    digests = {path.relative_to(folder).as_posix(): file_digest(path) for path in _files_of(folder)}
    (folder / CHECKSUMS_FILE).write_text(json.dumps(digests, indent=2) + "\n", encoding="utf-8")


def verify_settings(model: str, **where: Any) -> None:
    """Verify the settings of a folder or hub repository before anything is loaded by them.

    A plain model without checksums is not checked.
    """
    if _path_of(model, CHECKSUMS_FILE, where) is not None or is_boolean(model, **where):
        _verify(model, _SETTINGS, where)


def is_boolean(model: str, **where: Any) -> bool:
    """Whether a folder or hub repository routes queries through a Boolean tower."""
    routes = _path_of(model, ROUTES_FILE, where)
    return routes is not None and _TOWER in Path(routes).read_text(encoding="utf-8", errors="replace")


def verify_checksums(model: str, **where: Any) -> None:
    """Verify every recorded file of a folder or hub repository; checksums are required."""
    _verify(model, _WEIGHTS + _SETTINGS, where)


def forget_checksums(folder: Path) -> None:
    """Delete the checksums of a folder that is about to be overwritten."""
    (folder / CHECKSUMS_FILE).unlink(missing_ok=True)


def _verify(model: str, suffixes: tuple[str, ...], where: dict[str, Any]) -> None:
    digests = _recorded(model, where)
    for name, digest in digests.items():
        if name.endswith(suffixes):
            path = _path_of(model, name, where)
            if path is None or file_digest(Path(path)) != digest:
                raise ChangedWeightsError.of(name, model, missing=path is None)
    if Path(model).is_dir():
        _require_complete(Path(model), digests)


def _recorded(model: str, where: dict[str, Any]) -> dict[str, str]:
    path = _path_of(model, CHECKSUMS_FILE, where)
    if path is None:
        raise ChangedWeightsError(
            f"{model} has no {CHECKSUMS_FILE}, so damage would go unnoticed: get the model again, or, if you saved it "
            "with sentence-transformers, save it from a DualEncoder"
        )
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=dict[str, str])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ChangedWeightsError(f"{CHECKSUMS_FILE} of {model} is damaged: get the model again ({error})") from error


def _require_complete(folder: Path, digests: dict[str, str]) -> None:
    """Raise if a file without a recorded checksum would be loaded."""
    for path in _files_of(folder):
        name = path.relative_to(folder).as_posix()
        if name.endswith(_WEIGHTS + _SETTINGS) and name not in digests:
            raise ChangedWeightsError(
                f"{name} of {folder} is not in {CHECKSUMS_FILE}: it was added, or {CHECKSUMS_FILE} is damaged. Get the "
                "model again, or, if you changed it yourself, save it again from Python"
            )


def _files_of(folder: Path) -> list[Path]:
    """Return every file that loading reads, of the model and of its modules."""
    try:
        modules = json.loads((folder / MODULES_FILE).read_text(encoding="utf-8"))
        routes = json.loads((folder / ROUTES_FILE).read_text(encoding="utf-8"))
        parts = [*(module["path"] for module in modules if module["path"]), *routes["types"]]
        inside = [path for part in parts for path in _inside(folder / part)]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ChangedWeightsError(
            f"{MODULES_FILE} or {ROUTES_FILE} of {folder} is missing or damaged: get the model again ({error!r})"
        ) from error
    return [path for path in (folder / name for name in _ROOT_FILES) if path.is_file()] + inside


def _inside(part: Path) -> Iterable[Path]:
    return sorted(path for path in part.rglob("*") if path.suffix in _WEIGHTS + _SETTINGS)


def _path_of(model: str, name: str, where: dict[str, Any]) -> str | None:
    # Imported here because adapters of bare encoders are verified without sentence-transformers.
    from sentence_transformers.util import load_file_path

    return load_file_path(model, name, **where)

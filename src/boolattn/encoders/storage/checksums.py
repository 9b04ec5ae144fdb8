"""Refuse a saved model whose weights are not those that were saved."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sentence_transformers.util import load_file_path

CHECKSUMS_FILE = "boolattn_checksums.json"


class ChangedWeightsError(ValueError):
    """A weight file is not the one that was saved."""


def write_checksums(folder: Path) -> None:
    """Note the digest of every weight file of a saved model, and of nothing else that lies in its folder."""
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    routed = json.loads((folder / "router_config.json").read_text(encoding="utf-8"))
    parts = [*(module["path"] for module in modules if module["path"]), *routed["types"]]
    (folder / CHECKSUMS_FILE).write_text(json.dumps(digests_of(folder, parts), indent=2) + "\n", encoding="utf-8")


def verify_checksums(model: str, **where: Any) -> None:
    """Compare the weight files of a folder or hub repository with what ``write_checksums`` noted, if it did."""
    noted = load_file_path(model, CHECKSUMS_FILE, **where)
    if noted is not None:
        verify_digests(model, json.loads(Path(noted).read_text(encoding="utf-8")), **where)


def digests_of(folder: Path, parts: Iterable[str]) -> dict[str, str]:
    """Return the digest of every weight file in these parts of a folder."""
    weights = (path for part in parts for path in sorted((folder / part).rglob("*.safetensors")))
    return {path.relative_to(folder).as_posix(): _digest(path) for path in weights}


def verify_digests(model: str, digests: Mapping[str, str], **where: Any) -> None:
    """Raise if a weight file of a folder or hub repository is missing or has another digest."""
    for name, digest in digests.items():
        path = load_file_path(model, name, **where)
        if path is None or _digest(Path(path)) != digest:
            raise ChangedWeightsError(
                f"{name} of {model} is {'missing' if path is None else 'not the file that was saved'}: damaged or "
                f"changed. Get the model again, or, if you changed it yourself, save it again from Python"
            )


def forget_checksums(folder: Path) -> None:
    """Drop what was noted of a folder that is about to be written anew."""
    (folder / CHECKSUMS_FILE).unlink(missing_ok=True)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Dense retrieval that understands *and*, *or* and *not*."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from boolattn.extras import install_advice, is_installed
from boolattn.version import __version__ as __version__

if TYPE_CHECKING:
    from boolattn.attention import BoolAttnConfig
    from boolattn.backbones.attach.plugin import attach, detach, load_adapter, save_adapter
    from boolattn.backbones.dual_encoder import DualEncoder
    from boolattn.backbones.storage.model_names import load_encoder
    from boolattn.explanation.query import explain
    from boolattn.plans.rerank import Ranked, rerank
    from boolattn.query_vectors.exported_encoder import ExportedEncoder
    from boolattn.query_vectors.rewriting import signed_vectors
    from boolattn.reading.caller import ExcludedWords
    from boolattn.reading.learned import load_reader
    from boolattn.reading.options import ReadingOptions
    from boolattn.reading.readers import ReaderOrName
    from boolattn.reading.reading import Documents, Reader, Reading, Strictness
    from boolattn.retrieval.index.open_index import open_index
    from boolattn.retrieval.index.protocol import Filter
    from boolattn.retrieval.search.searcher import Searcher, SearchSettings

# Where each public name is defined. Names load on first use, so `import boolattn` does not import torch.
_CORE = {
    "ExportedEncoder": "boolattn.query_vectors.exported_encoder",
    "Filter": "boolattn.retrieval.index.protocol",
    "Ranked": "boolattn.plans.rerank",
    "Reader": "boolattn.reading.reading",
    "ReadingOptions": "boolattn.reading.options",
    "load_reader": "boolattn.reading.learned",
    "open_index": "boolattn.retrieval.index.open_index",
    "rerank": "boolattn.plans.rerank",
    "signed_vectors": "boolattn.query_vectors.rewriting",
}
_MODELS = {  # these need the extra of this name
    "BoolAttnConfig": "boolattn.attention",
    "DualEncoder": "boolattn.backbones.dual_encoder",
    "SearchSettings": "boolattn.retrieval.search.searcher",
    "Searcher": "boolattn.retrieval.search.searcher",
    "attach": "boolattn.backbones.attach.plugin",
    "detach": "boolattn.backbones.attach.plugin",
    "explain": "boolattn.explanation.query",
    "load_adapter": "boolattn.backbones.attach.plugin",
    "load_encoder": "boolattn.backbones.storage.model_names",
    "save_adapter": "boolattn.backbones.attach.plugin",
}
_HOME = _CORE | _MODELS

__all__ = [
    "BoolAttnConfig",
    "DualEncoder",
    "ExportedEncoder",
    "Filter",
    "Ranked",
    "Reader",
    "ReadingOptions",
    "SearchSettings",
    "Searcher",
    "attach",
    "detach",
    "explain",
    "load_adapter",
    "load_encoder",
    "load_reader",
    "open_index",
    "read",
    "rerank",
    "save_adapter",
    "signed_vectors",
]
if not is_installed("models"):  # `from boolattn import *` then brings the names that work
    __all__ = [name for name in __all__ if name not in _MODELS]


def read(
    query: str,
    *,
    reader: "ReaderOrName | None" = None,
    documents: "Documents" = "pages",
    strictness: "Strictness" = "safe",
    exclude: "ExcludedWords | None" = None,
    syntax: bool = False,
) -> "Reading":
    """Read a query: what is seen, what is applied, and why the rest is not. Needs no torch.

    Args:
        query: Plain English, or with AND, OR and NOT.
        reader: ``"learned"``, ``"rules"``, the folder of a trained reader, or a reader object. None uses the default.
        documents: What would be searched: ``"things"``, such as films and products, or ``"pages"`` about them.
        strictness: How sure the learned reader must be: ``"safe"``, ``"balanced"`` or ``"sensitive"``.
        exclude: Words to exclude, in the query or not, if the caller knows them: ``["war"]``, or with weights
            ``{"war": 2}``. None leaves it to the reader.
        syntax: Whether the query uses the explicit syntax.

    Examples:
        >>> reading = read("movies about Vietnam but not war", reader="rules")
        >>> [exclusion.text for exclusion in reading.exclusions]
        ['war']
        >>> print(reading.plan())
        movies about Vietnam NOT war
        >>> print(*read("films that are not long", reader="rules").remarks)
        Not applied: "long": a property, which pages discuss anyway: documents='things' or exclude=['long'] applies it.
    """
    from boolattn.reading.options import ReadingOptions

    if not isinstance(query, str):
        raise TypeError(f"read takes one query, a text, not {type(query).__name__}: load_reader().read takes a list")
    options = ReadingOptions(reader, documents, strictness, syntax)
    return options.decided(options.read([query], exclude)[0])


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'boolattn' has no attribute {name!r}")
    try:
        return getattr(import_module(_HOME[name]), name)
    except ModuleNotFoundError as error:
        if (advice := install_advice(f"boolattn.{name}", error)) is None:
            raise
        raise ImportError(advice) from error


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})

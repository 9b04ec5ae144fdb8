"""Dense retrieval that understands *and*, *or* and *not*."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boolattn.attention import BoolAttnConfig, Trace
    from boolattn.encoders.attach.plugin import attach, detach, load_adapter, mechanism_of, save_adapter
    from boolattn.encoders.dual_encoder import DualEncoder
    from boolattn.encoders.storage.adapters import save_without_backbone
    from boolattn.encoders.storage.model_names import load, shipped_adapters
    from boolattn.encoders.vectors.rewriting import rewrite, signed_vectors
    from boolattn.reading.learned import load_reader
    from boolattn.reading.options import ReadingOptions
    from boolattn.reading.plan import BooleanPlan
    from boolattn.reading.reading import Reading
    from boolattn.retrieval.index.open_index import open_index
    from boolattn.retrieval.index.protocol import Filter
    from boolattn.retrieval.search.searcher import Searcher, SearchSettings

__version__ = "0.1.0"

# Where each public name lives. Loaded when first asked for, so that `import boolattn` does not import torch.
_HOME = {
    "BooleanPlan": "boolattn.reading.plan",
    "Reading": "boolattn.reading.reading",
    "ReadingOptions": "boolattn.reading.options",
    "DualEncoder": "boolattn.encoders.dual_encoder",
    "BoolAttnConfig": "boolattn.attention",
    "Trace": "boolattn.attention",
    "Filter": "boolattn.retrieval.index.protocol",
    "SearchSettings": "boolattn.retrieval.search.searcher",
    "Searcher": "boolattn.retrieval.search.searcher",
    "attach": "boolattn.encoders.attach.plugin",
    "detach": "boolattn.encoders.attach.plugin",
    "load": "boolattn.encoders.storage.model_names",
    "load_adapter": "boolattn.encoders.attach.plugin",
    "load_reader": "boolattn.reading.learned",
    "mechanism_of": "boolattn.encoders.attach.plugin",
    "open_index": "boolattn.retrieval.index.open_index",
    "rewrite": "boolattn.encoders.vectors.rewriting",
    "save_adapter": "boolattn.encoders.attach.plugin",
    "save_without_backbone": "boolattn.encoders.storage.adapters",
    "shipped_adapters": "boolattn.encoders.storage.model_names",
    "signed_vectors": "boolattn.encoders.vectors.rewriting",
}

__all__ = [
    "BoolAttnConfig",
    "BooleanPlan",
    "DualEncoder",
    "Filter",
    "Reading",
    "ReadingOptions",
    "SearchSettings",
    "Searcher",
    "Trace",
    "attach",
    "detach",
    "load",
    "load_adapter",
    "load_reader",
    "mechanism_of",
    "open_index",
    "rewrite",
    "save_adapter",
    "save_without_backbone",
    "shipped_adapters",
    "signed_vectors",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'boolattn' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

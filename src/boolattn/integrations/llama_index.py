"""A Searcher as a LlamaIndex retriever; needs ``pip install 'boolattn[llama-index]'``."""

from collections.abc import Sequence
from typing import Any

try:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

    from boolattn.integrations.reading_log import search
    from boolattn.retrieval.index.protocol import Filter
    from boolattn.retrieval.search.hits import REASONS, SearchHit, fields_with_reasons
    from boolattn.retrieval.search.searcher import Searcher
except ImportError as error:
    raise ImportError(
        f"the LlamaIndex retriever cannot be imported ({error}): pip install 'boolattn[llama-index]'"
    ) from error


class BooleanRetriever(BaseRetriever):
    """Finds nodes for a query engine, each with its score and, where something is excluded, the effect of each atom.

    Metadata: ``boolattn_atoms`` and ``boolattn_reader``, plus the document's title and own fields.
    Reading options (``reader=``, ``documents=``, ``strictness=``, ``act=``) come from the searcher. The
    logger ``boolattn`` says at INFO why exclusions are not applied, each reason once.

    Examples:
        >>> retriever = BooleanRetriever(searcher, k=5)  # doctest: +SKIP
        >>> retriever.retrieve("movies set in Vietnam but not about war")  # doctest: +SKIP
    """

    def __init__(self, searcher: Searcher, k: int = 10, where: Sequence[Filter] = (), **kwargs: Any) -> None:
        """Return k hits per search, from documents that pass all filters."""
        self.searcher, self.k, self.where = searcher, k, where
        super().__init__(**kwargs)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(hit) for hit in search(self.searcher, query_bundle.query_str, self.k, self.where)]


def _node(hit: SearchHit) -> NodeWithScore:
    node = TextNode(
        id_=hit.doc_id,
        text=hit.text,
        metadata=fields_with_reasons(hit),
        excluded_llm_metadata_keys=list(REASONS),  # for people, not for prompts
        excluded_embed_metadata_keys=list(REASONS),
    )
    return NodeWithScore(node=node, score=hit.score)

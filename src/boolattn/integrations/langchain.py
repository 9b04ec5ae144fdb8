"""A Searcher as a LangChain retriever; needs ``pip install 'boolattn[langchain]'``."""

from collections.abc import Sequence

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import ConfigDict

    from boolattn.integrations.reading_log import search
    from boolattn.reading.caller import ExcludedWords
    from boolattn.retrieval.index.protocol import Filter
    from boolattn.retrieval.search.hits import SearchHit, fields_with_reasons
    from boolattn.retrieval.search.searcher import Searcher
except ImportError as error:
    raise ImportError(
        f"the LangChain retriever cannot be imported ({error}): pip install 'boolattn[langchain]'"
    ) from error


class BooleanRetriever(BaseRetriever):
    """Finds documents for a chain, each with its score and, where something is excluded, the effect of each atom.

    Metadata: ``boolattn_score``, ``boolattn_atoms`` and ``boolattn_reader``, plus the document's title
    and own fields. Reading options (``reader=``, ``documents=``, ``strictness=``, ``act=``) come from the searcher. The
    logger ``boolattn`` says at INFO why exclusions are not applied, each reason once.

    Examples:
        >>> retriever = BooleanRetriever(searcher=searcher, k=5)  # doctest: +SKIP
        >>> retriever.invoke("movies set in Vietnam but not about war")  # doctest: +SKIP
        >>> retriever.invoke("movies set in Vietnam, war", exclude=["war"])  # doctest: +SKIP
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    searcher: Searcher
    k: int = 10
    where: Sequence[Filter] = ()

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, exclude: ExcludedWords | None = None
    ) -> list[Document]:
        return [_document(hit) for hit in search(self.searcher, query, self.k, self.where, exclude)]


def _document(hit: SearchHit) -> Document:
    return Document(page_content=hit.text, id=hit.doc_id, metadata=fields_with_reasons(hit))

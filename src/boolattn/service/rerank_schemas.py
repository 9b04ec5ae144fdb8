"""Requests to rerank, and answers, as OpenAPI describes them."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Documents
from boolattn.service.schemas import QUERY, HowToAct, HowToRead, Integer, Json, Text, Words

TEXTS: Any = ["A platoon of soldiers fights in Vietnam.", "A cooking show travels through Vietnam."]


class HowToRerank(HowToAct):
    """A query, and fields that both reranking routes take beyond their protocols."""

    query: Text
    exclude: Words | None = None
    drop: StrictBool = Field(False, description="Remove texts that contain what is excluded, or only rank them lower.")
    atoms: StrictBool = Field(False, description="Also return what each part of the query did to each text.")


class CohereRerank(HowToRerank):
    """Cohere's request to rerank (version 2)."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": QUERY, "documents": TEXTS}]})
    documents: list[Text]
    documents_are: Documents | None = Field(None, description="What they are: things, or pages about them.")
    model: Text = Field("", description="Any name.")
    top_n: Integer | None = Field(None, ge=1, description="How many documents to return; all by default.")
    max_tokens_per_doc: Integer | None = Field(
        None, ge=1, description="How much of each document is read, counted in words."
    )

    def options(self, options: ReadingOptions) -> ReadingOptions:
        """Return options with what the request changes."""
        return super().options(options).changed(documents=self.documents_are)


class TeiRerank(HowToRerank, HowToRead):
    """text-embeddings-inference's request to rerank."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": QUERY, "texts": TEXTS}]})
    texts: list[Text]
    raw_scores: StrictBool = Field(False, description="Return scores as they are, and not from 0 to 1.")
    return_text: StrictBool = Field(False, description="Also return each text.")
    truncate: StrictBool | None = Field(None, description="False refuses texts that are longer than what is read.")
    truncation_direction: Literal["right", "Right"] | None = Field(None, description="Only the end can be cut off.")


class CohereResult(BaseModel):
    """A document's place in the request, and how well it fits; comparable within one answer only."""

    index: int
    relevance_score: float
    atoms: list[Json] | None = None


class CohereRerankAnswer(BaseModel):
    """Cohere's ranking, best first; ``dropped`` counts the documents that were removed, if ``drop`` was asked for."""

    id: str
    results: list[CohereResult]
    meta: Json
    dropped: int | None = None


class TeiRank(BaseModel):
    """A text's place in the request, and how well it fits; comparable within one answer only."""

    index: int
    score: float
    text: str | None = None
    atoms: list[Json] | None = None

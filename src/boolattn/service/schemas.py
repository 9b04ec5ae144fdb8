"""Requests and answers, as OpenAPI describes them."""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    Tag,
    field_validator,
)

from boolattn.reading.limits import HIGHEST_WEIGHT, LONGEST_EXCLUDED, MOST_EXCLUDED
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Documents, Strictness

TOKENS_REFUSED = (
    "token IDs were sent instead of text, and a query cannot be read from them: send text. In LangChain, use "
    "OpenAIEmbeddings(check_embedding_ctx_length=False)"
)


def _unicode(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("the text contains half of a surrogate pair, which is not valid Unicode") from error
    return text


def _a_number(value: Any) -> Any:
    if isinstance(value, bool | str):
        raise ValueError("Input should be a number")
    return value


Text = Annotated[str, AfterValidator(_unicode)]
# As JSON has them: pydantic alone would take true for 1 and "3" for 3.
Integer = Annotated[int, BeforeValidator(_a_number)]
Number = Annotated[float, BeforeValidator(_a_number)]
Texts = Annotated[Text | list[Text], Field(description="One text or several.")]
Word = Annotated[str, Field(max_length=LONGEST_EXCLUDED), AfterValidator(_unicode)]
Weight = Annotated[float, Field(gt=0, le=HIGHEST_WEIGHT), BeforeValidator(_a_number)]


def _form(given: Any) -> str | None:
    if isinstance(given, dict):
        return "weights"
    return "words" if isinstance(given, list) else None


# Told apart by their form, so that a mistake in one is not reported as a mistake in the other too.
Words = Annotated[
    Annotated[list[Word], Field(max_length=MOST_EXCLUDED), Tag("words")]
    | Annotated[dict[Word, Weight], Field(max_length=MOST_EXCLUDED), Tag("weights")],
    Discriminator(
        _form,
        custom_error_type="words",
        custom_error_message="Input should be a list of words, or an object of words and their weights",
    ),
    Field(
        description="Words to exclude, in the query or not, instead of reading it; or words and their weights, which "
        "say how often each is subtracted from the query's vector.",
        examples=[["war"], {"war": 2}],
    ),
]
QUERY = "movies set in Vietnam but not about war"
FILM: Any = {"id": "river", "title": "The River", "text": "Two sisters grow up on a river in Vietnam.", "metadata": {}}


class Request(BaseModel):
    """A request; unknown fields are ignored, as the protocols grow."""

    model_config = ConfigDict(extra="ignore", protected_namespaces=())


class HowToAct(Request):
    """What is done with readings; the service's settings apply to whatever a request omits."""

    act: StrictBool | None = Field(None, description="Act on exclusions; false reads and reports without acting.")
    strictness: Strictness | None = Field(None, description="How sure the learned reader must be of an exclusion.")

    def options(self, options: ReadingOptions) -> ReadingOptions:
        """Return options with what the request changes."""
        return options.changed(act=self.act, strictness=self.strictness)


class HowToRead(HowToAct):
    """How queries are read."""

    documents: Documents | None = Field(None, description="What the documents are: things, or pages about them.")

    def options(self, options: ReadingOptions) -> ReadingOptions:
        """Return options with what the request changes."""
        return super().options(options).changed(documents=self.documents)


class HowToEmbed(HowToRead):
    """Fields that every embedding route takes beyond its protocol."""

    reading: StrictBool = Field(False, description="Also return what was read of each query.")
    exclude: list[Words | None] | None = Field(
        None, description="For each query, the words to exclude; null to read it."
    )


def _no_tokens(given: Any) -> Any:
    first = given[0] if isinstance(given, list) and given else given
    if isinstance(first, int) or (isinstance(first, list) and first and isinstance(first[0], int)):
        raise ValueError(TOKENS_REFUSED)
    return given


class OpenAIEmbeddings(HowToEmbed):
    """OpenAI's request for embeddings. A model name that ends in ``-query`` marks queries."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"model": "sentence-transformers/all-MiniLM-L6-v2-query", "input": [QUERY]}]}
    )
    input: Texts
    model: Text = Field(
        "",
        description="Any name; with -query at its end, the texts are queries, else documents. A name that looks like a "
        "mistyped one is refused.",
    )
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: Integer | None = Field(
        None, ge=1, description="How many dimensions to keep; the vector then has unit length."
    )
    user: str | None = None

    _text = field_validator("input", mode="before")(_no_tokens)


class TeiEmbed(HowToEmbed):
    """text-embeddings-inference's request for embeddings; ``prompt_name: "query"`` marks queries."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"inputs": QUERY, "prompt_name": "query"}]})
    inputs: Texts
    truncate: StrictBool | None = Field(None, description="False refuses texts that are longer than the model reads.")
    truncation_direction: Literal["right", "Right"] | None = Field(None, description="Only the end can be cut off.")
    normalize: StrictBool | None = Field(None, description="Whether vectors have unit length; by default they have.")
    prompt_name: Text | None = Field(None, description='"query" marks queries; else the texts are documents.')
    dimensions: Integer | None = Field(None, ge=1, description="How many dimensions to keep.")

    _text = field_validator("inputs", mode="before")(_no_tokens)


class CohereEmbed(HowToEmbed):
    """Cohere's request for embeddings (version 2); ``input_type: "search_query"`` marks queries."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"texts": [QUERY], "input_type": "search_query"}]})
    texts: list[Text]
    model: Text = Field("", description="Any name.")
    input_type: Literal["search_document", "search_query", "classification", "clustering"] = "search_document"
    embedding_types: list[Literal["float", "base64"]] | None = None
    output_dimension: Integer | None = Field(None, ge=1)
    truncate: Literal["NONE", "END"] | None = Field(None, description="NONE refuses texts that are too long.")

    _text = field_validator("texts", mode="before")(_no_tokens)


class ReadRequest(HowToRead):
    """A query to read."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": QUERY}]})
    query: Text
    exclude: Words | None = None
    syntax: StrictBool | None = Field(None, description='The query uses AND, OR, NOT, -word and "...".')

    def options(self, options: ReadingOptions) -> ReadingOptions:
        """Return options with what the request changes."""
        return super().options(options).changed(syntax=self.syntax)


class SearchRequest(ReadRequest):
    """A query to search an index with."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": QUERY, "k": 5}]})
    index: Text | None = Field(None, description="The name of an index; not needed if there is only one.")
    k: Integer = Field(10, ge=1, description="How many hits.")
    where: list[Text] = Field(default_factory=list, max_length=20, description="Metadata filters, such as year>=1990.")
    hybrid: StrictBool = Field(False, description="Ask BM25 too, where the index has it.")
    verify: StrictBool = Field(True, description="Where something is excluded, score candidates again, atom by atom.")
    strength: Number = Field(1.0, ge=0, le=1e6, description="How much what is unwanted weighs.")
    plain: StrictBool = Field(False, description="Also return what the plain model finds.")


class Document(BaseModel):
    """A document to write."""

    id: Text = Field(min_length=1, max_length=1024)
    title: Text = ""
    text: Text
    metadata: dict[Text, Text | bool | int | float] = Field(
        default_factory=dict, description="Fields that the index has."
    )


class PutDocuments(Request):
    """Documents to write; existing ones with the same IDs are replaced."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"documents": [FILM]}]})
    index: Text | None = Field(None, description="The name of an index; not needed if there is only one.")
    documents: list[Document] = Field(min_length=1)


class DeleteDocuments(Request):
    """Documents to remove; IDs that are not there are ignored."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ids": ["river"]}]})
    index: Text | None = Field(None, description="The name of an index; not needed if there is only one.")
    ids: list[Annotated[Text, Field(min_length=1, max_length=1024)]] = Field(min_length=1)


class ProblemDetails(BaseModel):
    """What went wrong, as RFC 9457 defines it."""

    type: str
    title: str
    status: int
    detail: str
    message: str


class TeiError(BaseModel):
    """What went wrong, as text-embeddings-inference says it."""

    error: str
    error_type: Literal["Unhealthy", "Backend", "Overloaded", "Validation", "Tokenizer", "Empty"]


Json = dict[str, Any]


class OpenAIEmbedding(BaseModel):
    """One vector."""

    object: Literal["embedding"]
    index: int
    embedding: list[float] | str
    reading: Json | None = None


class OpenAIUsage(BaseModel):
    """How many tokens were encoded."""

    prompt_tokens: int
    total_tokens: int


class OpenAIAnswer(BaseModel):
    """OpenAI's list of vectors."""

    object: Literal["list"]
    data: list[OpenAIEmbedding]
    model: str
    usage: OpenAIUsage


class TeiReadings(BaseModel):
    """Vectors and readings, if readings were asked for."""

    embeddings: list[list[float]]
    readings: list[Json | None]


class CohereAnswer(BaseModel):
    """Cohere's vectors."""

    id: str
    embeddings: dict[str, list[Any]]
    texts: list[str]
    meta: Json
    readings: list[Json | None] | None = None


class ReadAnswer(BaseModel):
    """What was read of a query, the plan that is acted on, and whether anything is excluded."""

    reading: Json
    plan: Json
    acts: bool


class HitAnswer(BaseModel):
    """A document that was found, and which parts of the query raised or lowered it."""

    doc_id: str
    score: float
    title: str
    text: str
    metadata: Json
    atoms: list[Json]
    reader: str


class SearchAnswer(ReadAnswer):
    """Hits, best first."""

    index: str
    hits: list[HitAnswer]
    plain: list[HitAnswer] | None = None


class ExplainAnswer(BaseModel):
    """How a query was read, and how this changed the encoder's attention."""

    explanation: Json


class WrittenAnswer(BaseModel):
    """How many documents were written or removed; they are stored and searchable."""

    index: str
    documents: int

"""What `boolattn demo` computes and shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from boolattn.demo.sample_films import BACKBONE, Film, FilmIndex, NoVectorError
from boolattn.explanation.side_by_side import render_side_by_side
from boolattn.explanation.terminal import LOOKS
from boolattn.explanation.words import Role
from boolattn.operators import NOT
from boolattn.query_vectors.rewriting import PENALTIES, RewriteEncoder
from boolattn.reading.options import ReadingOptions
from boolattn.reading.reading import Exclusion, Reading
from boolattn.reading.spans import Span

QUERIES = (
    "films about crime in a harbour city",
    "films set in Vietnam but not about war",  # a topic
    "films about the sea that are not war films",  # a property: acted on because the documents are things
)
OPTIONS = ReadingOptions(documents="things")
HITS = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """A query's reading, reduced to what is acted on, and its hits, best first.

    Attributes:
        reading: What was read.
        plain: The hits of the plain model.
        boolean: The hits with the exclusions applied; None if a part of the query has no vector.
        missing: That part, or empty.
    """

    reading: Reading
    plain: Sequence[Film]
    boolean: Sequence[Film] | None
    missing: str = ""


def read_queries(options: ReadingOptions = OPTIONS) -> list[Reading]:
    """Read the queries now, and keep what is acted on."""
    return [options.applied(reading) for reading in options.read(QUERIES)]


def answer(index: FilmIndex, reading: Reading) -> Answer:
    """Find films for a query, without and with its exclusions."""
    plain = index.nearest(index.embed([reading.query])[0], HITS)
    try:
        vector = RewriteEncoder(index.embed, PENALTIES[OPTIONS.documents]).encode([reading])[0]
    except NoVectorError as error:  # a reader that reads the query differently
        return Answer(reading, plain, None, str(error))
    return Answer(reading, plain, index.nearest(vector, HITS))


YOUR_OWN = """\
pip install torch   # in the build your machine needs (CPU or CUDA)
pip install 'boolattn[search]'
# --documents things, or pages: texts about such things
boolattn encode YOUR.jsonl --model sentence-transformers/all-MiniLM-L6-v2 --documents things --out vectors
boolattn index vectors --index lance://index/mine
boolattn search "YOUR QUERY" --index lance://index/mine --plain"""


def render(answers: Sequence[Answer], films: int) -> RenderableType:
    """Return what ``rich`` prints."""
    reader = answers[0].reading.reader
    parts: list[RenderableType] = [
        Text(
            f"{films} invented films. All vectors were computed in advance with {BACKBONE.rpartition('/')[2]}; the "
            f"queries are read now, by the reader {reader}, on this machine."
        )
    ]
    for number, answer in enumerate(answers, start=1):
        parts += ["", Text.assemble((f"{number}. ", "bold"), marked(answer.reading)), _indented(_details(answer))]
    parts += [
        "",
        Text("The queries were chosen to show the idea. How often it works is measured: lab/docs/results.md."),
        Text("To search your own file (JSONL or Parquet; each row has an id and a text):"),
        "",
        _indented(Text(YOUR_OWN, "bold", no_wrap=True, overflow="ignore")),
    ]
    return Group(*parts)


def marked(reading: Reading) -> Text:
    """Return the query with its cues and exclusions marked."""
    query, text, end = reading.query, Text(), 0
    spans: list[tuple[Span, Role]] = [(span, "cue") for span in reading.cues[NOT.name]]
    spans += [(each.span, "excluded") for each in reading.exclusions if each.span]
    for span, role in sorted(spans):
        opening, style, closing = LOOKS[role]
        text.append(query[end : span.start], "bold").append(opening, "dim")
        text.append(span.of(query), style).append(closing, "dim")
        end = span.end
    return text.append(query[end:], "bold")


def _details(answer: Answer) -> RenderableType:
    reading = answer.reading
    if not reading.exclusions:
        read = "Excludes nothing, so the vector and the hits are those of the plain model."
    else:
        read = "\n".join([*(_described(each) for each in reading.exclusions), f"Plan: {reading.plan()}"])
    if answer.boolean is None:
        hits: RenderableType = Text(
            f'This reader finds the part "{answer.missing}", whose vector does not ship with the demonstration. Only '
            f"plain hits are shown: {'; '.join(film.title for film in answer.plain)}. "
            "In a checkout, boolattn-lab demo-vectors adds the vector."
        )
    else:
        hits = render_side_by_side(answer.plain, answer.boolean)
    return Group(Text(read), "", hits)


def _described(exclusion: Exclusion) -> str:
    where = "characters {} to {}".format(*exclusion.span) if exclusion.span else "not in the query"
    return f'Excludes "{exclusion.text}" ({where}): a {exclusion.kind}, confidence {exclusion.confidence:.2f}.'


def _indented(shown: RenderableType) -> Padding:
    return Padding(shown, (0, 0, 0, 3))

"""Questions about one subject that exclude a part of it: "the story of X (leaving aside Y)".

Catalogs yield short queries with many answers. These are long queries, answered by a few sentences of one page, with
exact labels of which sentences mention the excluded part.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from boolattn.reading.spans import Span
from boolattn_lab.catalogs.mentions import names_mentioned
from boolattn_lab.catalogs.wordings.passage_wordings import EXCLUDED, PARTS, TAILS, WANTED
from boolattn_lab.formats.records import Document

SHARE_ORDINARY = 0.2  # of queries that exclude nothing
FEWEST_SENTENCES = 3
LONGEST_PAGE = 1500  # characters; longer pages have many similar sentences
_SENTENCE_END = " . "  # as the pages are tokenised

_CUE = re.compile(r"\{not\|([^}]+)\}")


@dataclass(frozen=True, slots=True)
class PassageQuery:
    """A question, what it excludes, and the sentences that answer it.

    Attributes:
        text: The query as typed.
        cue: The words that express the exclusion; None if there is none.
        scope: What is excluded.
        answers: IDs of the sentences about the subject that do not mention the exclusion.
        unwanted: IDs of the sentences that mention it.
    """

    text: str
    cue: Span | None
    scope: Span | None
    answers: tuple[str, ...]
    unwanted: tuple[str, ...]


def sentences_of(page: Document) -> dict[str, str]:
    """Return the sentences of a page by ID, each after the page's title."""
    sentences = page.text.split(_SENTENCE_END)
    return {f"{page.title}#{number}": f"{page.title}. {text}" for number, text in enumerate(sentences)}


def passage_queries(pages: Sequence[Document], seed: int) -> Iterator[PassageQuery]:
    """Yield one question for each page in which some sentences mention another page's name and some do not."""
    rng = Random(f"{seed} passages")
    texts = [sentences_of(page) for page in pages]
    found = names_mentioned([page.title for page in pages], [text for each in texts for text in each.values()])
    for page, sentences in zip(pages, texts, strict=True):
        mentioned = {identifier: next(found) for identifier in sentences}
        names = sorted({name for each in mentioned.values() for name in each if name not in page.title})
        partly = [name for name in names if not all(name in each for each in mentioned.values())]
        third = rng.choice(pages).title  # another subject, which the page does not mention
        if len(sentences) >= FEWEST_SENTENCES and partly and third not in (page.title, *names):
            yield _asked(rng, page.title, rng.choice(partly), third, mentioned)


def _asked(rng: Random, subject: str, other: str, third: str, mentioned: dict[str, set[str]]) -> PassageQuery:
    start, tail = rng.choice(WANTED).format(x=subject), rng.choice(TAILS).format(z=third)
    if rng.random() < SHARE_ORDINARY:
        return PassageQuery(start + tail, None, None, tuple(mentioned), ())
    before, cue, after = _CUE.split(rng.choice(EXCLUDED))
    scope = rng.choice(PARTS).format(y=other, z=third)
    opening, closing = after.split("{y}")
    cue_start = len(start + before)
    scope_start = cue_start + len(cue + opening)
    return PassageQuery(
        start + before + cue + opening + scope + closing + tail,
        Span(cue_start, cue_start + len(cue)),
        Span(scope_start, scope_start + len(scope)),
        tuple(identifier for identifier, names in mentioned.items() if other not in names),
        tuple(identifier for identifier, names in mentioned.items() if other in names),
    )

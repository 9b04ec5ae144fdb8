"""Gold negation cues and scopes."""

from collections.abc import Iterable
from itertools import chain

from boolattn.data.cdsco import CdscoSentence, read_cdsco
from boolattn.data.folder import DataFolder
from boolattn.evaluation.tasks import LabelledSentence, NegationTask
from boolattn.reading.spans import Span

TEST_STORIES = ("sherlock_circle.txt", "sherlock_cardboard.txt")


def cdsco(data: DataFolder) -> NegationTask:
    """CD-SCO (*SEM 2012), the two test stories."""
    stories = chain.from_iterable(read_cdsco(data.path / "cd-sco" / story, data.skip) for story in TEST_STORIES)
    return NegationTask("cdsco", [_labelled(sentence) for sentence in stories])


def _labelled(sentence: CdscoSentence) -> LabelledSentence:
    return LabelledSentence(
        sentence.text,
        _word_spans(sentence.words),
        [Span(*piece) for negation in sentence.negations for piece in negation.cue],
        [Span(*piece) for negation in sentence.negations for piece in negation.scope],
    )


def _word_spans(words: Iterable[str]) -> list[Span]:
    """Return where words stand in a text that joins them with single spaces."""
    spans, start = [], 0
    for word in words:
        spans.append(Span(start, start + len(word)))
        start += len(word) + 1
    return spans

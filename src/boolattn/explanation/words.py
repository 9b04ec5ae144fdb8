"""Tokens -> words, and the role of each word in the query."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np

from boolattn.explanation.explained_query import Array, ExplainedQuery
from boolattn.operators import OPERATORS
from boolattn.reading.limits import LONGEST_QUERY
from boolattn.reading.screen import may_exclude
from boolattn.reading.spans import Span, token_labels

Role = Literal["wanted", "excluded", "cue", "unused", "unread"]

MINUS = "\N{MINUS SIGN}"

# Each role's mark and meaning, which must be clear without colour.
MEANINGS: dict[Role, tuple[str, str]] = {
    "wanted": ("+", "wanted"),
    "excluded": (MINUS, "excluded"),
    "cue": ("»", "operator word"),
    "unused": ("·", "no weight"),
    "unread": ("?", "not read by the encoder"),
}

# Letters of any script with their diacritics, emoji and digits, joined as in "isn't", "U.S.A" and "1,000"; or one
# punctuation mark.
_LETTER = r"[^\s!-/:-@\[-`{-~¡¿«»“”„…\u2013\u2014،؛؟。、]"  # neither space nor punctuation
_WORD = re.compile(rf"{_LETTER}+(?:['\u2019.,]{_LETTER}+)*|\S")


@dataclass(frozen=True, eq=False)
class Word:
    """A word of the query, with values combined from its tokens.

    Attributes:
        text: As in the query.
        span: Its position.
        role: Its role.
        operators: For a cue, the operators it expresses; for any other word, the operators whose scope includes it.
        cues: (K,) the probability of its most probable token.
        scopes: (layers, K) mean over its tokens.
        biases: (layers, K) mean over its tokens.
        before: (layers,) the total attention that its tokens receive in the bare encoder.
        after: (layers,) the same with the biases.
        weight: The total weight of its tokens in the query's vector.
    """

    text: str
    span: Span
    role: Role
    operators: tuple[str, ...]
    cues: Array
    scopes: Array
    biases: Array
    before: Array
    after: Array
    weight: float

    @property
    def shares(self) -> tuple[float, float]:
        """Attention before and after, mean over layers; 0 without layers."""
        return (float(self.before.mean()), float(self.after.mean())) if len(self.before) else (0.0, 0.0)


@dataclass(frozen=True)
class Run:
    """A piece of the query whose words have the same role; the space between pieces has no role."""

    text: str
    role: Role | None
    operators: tuple[str, ...] = ()


def words_of(explanation: ExplainedQuery) -> list[Word]:
    """Combine the tokens of each word; every token belongs to one word, special tokens to none."""
    taken: set[int] = set()
    words = []
    for span in word_spans(explanation.query):
        inside = np.flatnonzero(token_labels(explanation.spans, [span]))
        tokens = [int(token) for token in inside if int(token) not in taken]
        if len(tokens) or not len(inside):
            taken.update(tokens)
            words.append(_word(explanation, span, tokens))
    return words


def word_spans(query: str) -> list[Span]:
    """Return the spans of a query's words and punctuation marks, up to the length limit."""
    return [Span(*match.span()) for match in _WORD.finditer(query, 0, LONGEST_QUERY)]


def runs_of(query: str, words: Sequence[Word]) -> Iterator[Run]:
    """Split the whole query into pieces of one role."""
    end = 0
    for (role, operators), group in groupby(words, lambda word: (word.role, word.operators)):
        run = list(group)
        start, stop = run[0].span.start, run[-1].span.end
        if end < start:
            yield Run(query[end:start], None)
        yield Run(query[start:stop], role, operators)
        end = stop
    if end < len(query):
        yield Run(query[end:], None)


def reasons(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Pair each exclusion with the words that express it: those before it, else those after it, else none.

    In "excluding Chromebooks and anything from Acer", the reason for "Acer" is "excluding", not the nearer "from".
    """
    negative = {name for name, operator in OPERATORS.items() if operator.sign < 0}
    pairs = []
    for place, run in enumerate(runs):
        if run.role == "excluded":
            nearest = [*reversed(runs[:place]), *runs[place:]]
            said = [other.text for other in nearest if other.role == "cue" and negative & set(other.operators)]
            pairs.append((run.text, next((text for text in said if may_exclude(text)), said[0] if said else "")))
    return pairs


def joined(runs: Sequence[Run]) -> dict[str, list[str]]:
    """List what each operator with a positive sign combines."""
    drawing = [name for name, operator in OPERATORS.items() if operator.sign > 0]
    found = {name: [run.text for run in runs if run.role == "wanted" and name in run.operators] for name in drawing}
    return {name: texts for name, texts in found.items() if texts}


def remark(explanation: ExplainedQuery, runs: Sequence[Run]) -> str:
    """Return what is not acted on, or why nothing was changed; empty if there is nothing to add."""
    if remarks := explanation.reading.remarks:
        return " ".join(remarks)
    if reasons(runs) or joined(runs) or explanation.added:
        return ""
    if explanation.changed:
        return f"Found {_listed(explanation.held)}, but no word is in its scope in at least half of all heads."
    return "Nothing was changed: no exclusion was recognised, so the query has the plain model's vector."


def in_words(explanation: ExplainedQuery, runs: Sequence[Run]) -> list[str]:
    """Describe what is excluded and why, what is combined, or that nothing was changed, one sentence each."""
    excluded = [f'Excludes "{text}"' + (f', because of "{cue}".' if cue else ".") for text, cue in reasons(runs)]
    excluded += [f'Excludes "{text}", which is not in the query.' for text in explanation.added]
    together = [f"Combines {_listed(texts)} with {name}." for name, texts in joined(runs).items()]
    note = remark(explanation, runs)
    return excluded + together + ([note] if note else [])


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(f'"{text}"' for text in texts)


def same_in_all_layers(explanation: ExplainedQuery) -> bool:
    """Return whether one layer represents all: given scopes and biases do not depend on the layer."""
    return not any(np.ptp(values, axis=0).any() for values in (explanation.scopes, explanation.biases))


def percent(share: float) -> str:
    """Format a share as a percentage, without the sign."""
    return f"{100 * share:.1f}"


def signed(value: float, digits: int = 2) -> str:
    """Format a number with its sign; one that rounds to 0 has none."""
    text = f"{value:+.{digits}f}".replace("-", MINUS)
    return text if any(figure in text for figure in "123456789") else "0"


def _word(explanation: ExplainedQuery, span: Span, tokens: list[int]) -> Word:
    layers, kinds = len(explanation.scopes), len(explanation.operators)
    cues = explanation.cues[tokens].max(0, initial=0)
    scopes = explanation.scopes[:, tokens].mean(1) if tokens else np.zeros((layers, kinds))
    weight = float(explanation.readout[tokens].sum())
    role, operators = _part(explanation, cues, scopes, weight) if tokens else ("unread", ())
    return Word(
        text=span.of(explanation.query),
        span=span,
        role=role,
        operators=operators,
        cues=cues,
        scopes=scopes,
        biases=explanation.biases[:, tokens].mean(1) if tokens else np.zeros((layers, kinds)),
        before=explanation.attention_before[:, tokens].sum(1),
        after=explanation.attention_after[:, tokens].sum(1),
        weight=weight,
    )


def _part(explanation: ExplainedQuery, cues: Array, scopes: Array, weight: float) -> tuple[Role, tuple[str, ...]]:
    """Return a word's role; a cue stays a cue even inside a scope."""
    # More likely than not; in at least half of all heads and layers.
    expressed = tuple(_likely(explanation, cues))
    inside = tuple(_likely(explanation, scopes.mean(0))) if len(scopes) else ()
    if expressed:
        return "cue", expressed
    if weight < 0 or any(OPERATORS[name].sign < 0 for name in inside):
        return "excluded", inside
    return ("unused" if weight == 0 else "wanted"), inside


def _likely(explanation: ExplainedQuery, shares: Array) -> Iterator[str]:
    for name, gate, share in zip(explanation.operators, explanation.gates, shares, strict=True):
        if gate and share >= 0.5:
            yield name

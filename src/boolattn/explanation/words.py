"""Tokens -> words, and the part that each word plays in the query."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np

from boolattn.explanation.explained_query import Array, ExplainedQuery
from boolattn.operators import OPERATORS
from boolattn.reading.spans import Span, token_labels

Role = Literal["wanted", "excluded", "cue", "unused", "unread"]

MINUS = "\N{MINUS SIGN}"

# Each role's mark and what it means; where there is no colour, these carry the meaning.
MEANINGS: dict[Role, tuple[str, str]] = {
    "wanted": ("+", "wanted"),
    "excluded": (MINUS, "left out"),
    "cue": ("»", "operator word"),
    "unused": ("·", "no weight"),
    "unread": ("?", "not read by the encoder"),
}

# Letters of any script with their marks, emoji and digits; joined as in "isn't", "U.S.A" and "1,000". Or one mark.
_LETTER = r"[^\s!-/:-@\[-`{-~¡¿«»“”„…\u2013\u2014،؛؟。、]"  # neither space nor punctuation
_WORD = re.compile(rf"{_LETTER}+(?:['\u2019.,]{_LETTER}+)*|\S")


@dataclass(frozen=True, eq=False)
class Word:
    """A word of the query, with what its tokens share.

    Attributes:
        text: As the query writes it.
        span: Where.
        role: The part it plays.
        operators: Of a cue, what it says; of another word, in whose scope it stands.
        cues: (K,) of its surest token.
        scopes: (layers, K) mean over its tokens.
        biases: (layers, K) likewise.
        before: (layers,) the attention that all its tokens receive from the bare encoder.
        after: (layers,) likewise, with the biases.
        weight: Of all its tokens in the query's vector.
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
        """Attention before and after, mean over layers."""
        return float(self.before.mean()), float(self.after.mean())


@dataclass(frozen=True)
class Run:
    """A piece of the query whose words play the same part; the space between pieces has none."""

    text: str
    role: Role | None
    operators: tuple[str, ...] = ()


def words_of(explanation: ExplainedQuery) -> list[Word]:
    """Join the tokens of each word; special tokens belong to none, and a token belongs to one word."""
    taken: set[int] = set()
    words = []
    for match in _WORD.finditer(explanation.query):
        span = Span(*match.span())
        inside = np.flatnonzero(token_labels(explanation.spans, [span]))
        tokens = [int(token) for token in inside if int(token) not in taken]
        if len(tokens) or not len(inside):
            taken.update(tokens)
            words.append(_word(explanation, span, tokens))
    return words


def runs_of(query: str, words: Sequence[Word]) -> Iterator[Run]:
    """Cut the query, all of it, into pieces of one role."""
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
    """Pair what is left out with the words that say so: those before it, else those after it, else none."""
    negative = {name for name, operator in OPERATORS.items() if operator.sign < 0}
    pairs = []
    for place, run in enumerate(runs):
        if run.role == "excluded":
            nearest = [*reversed(runs[:place]), *runs[place:]]
            said = (other.text for other in nearest if other.role == "cue" and negative & set(other.operators))
            pairs.append((run.text, next(said, "")))
    return pairs


def joined(runs: Sequence[Run]) -> dict[str, list[str]]:
    """List for each operator that draws attention what it joins."""
    drawing = [name for name, operator in OPERATORS.items() if operator.sign > 0]
    found = {name: [run.text for run in runs if run.role == "wanted" and name in run.operators] for name in drawing}
    return {name: texts for name, texts in found.items() if texts}


def remark(explanation: ExplainedQuery, runs: Sequence[Run]) -> str:
    """Say what is left alone, and what needs saying where nothing is excluded and nothing joined."""
    if explanation.not_acted_on:
        told = (f'"{each.span.of(explanation.query)}" ({each.kind})' for each in explanation.not_acted_on)
        return f"Read as an exclusion, but not acted on: {', '.join(told)}."
    if reasons(runs) or joined(runs):
        return ""
    if explanation.changed:
        return f"Found {_listed(explanation.held)}, but no word stands in a scope in at least half of all heads."
    return "Nothing was changed: no operator was found, and the encoder reads this as it always did."


def in_words(explanation: ExplainedQuery, runs: Sequence[Run]) -> list[str]:
    """Say what is left out and why, what is joined, or that nothing was changed; one sentence each."""
    left_out = [f'Leaves out "{text}"' + (f', because it says "{cue}".' if cue else ".") for text, cue in reasons(runs)]
    together = [f"Joins {_listed(texts)} by {name}." for name, texts in joined(runs).items()]
    said = remark(explanation, runs)
    return left_out + together + ([said] if said else [])


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(f'"{text}"' for text in texts)


def same_in_all_layers(explanation: ExplainedQuery) -> bool:
    """Tell whether one layer can stand for all: scopes and biases that were given do not depend on the layer."""
    return not any(np.ptp(values, axis=0).any() for values in (explanation.scopes, explanation.biases))


def percent(share: float) -> str:
    """Write a share as per cent, without the sign."""
    return f"{100 * share:.1f}"


def signed(value: float, digits: int = 2) -> str:
    """Write a number with its sign; one that rounds to nothing has none."""
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
    """Tell a word's role; a cue remains one where it stands in a scope itself."""
    # More likely than not; in at least half of all heads and layers.
    said = tuple(_likely(explanation, cues))
    inside = tuple(_likely(explanation, scopes.mean(0)))
    if said:
        return "cue", said
    if weight < 0 or any(OPERATORS[name].sign < 0 for name in inside):
        return "excluded", inside
    return ("unused" if weight == 0 else "wanted"), inside


def _likely(explanation: ExplainedQuery, shares: Array) -> Iterator[str]:
    for name, gate, share in zip(explanation.operators, explanation.gates, shares, strict=True):
        if gate and share >= 0.5:
            yield name

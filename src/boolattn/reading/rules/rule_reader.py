"""The rules' reading of a query: which operators it holds, the words that say them, and what these speak of."""

from collections.abc import Sequence
from dataclasses import dataclass

from boolattn.operators import AND, NOT, OR
from boolattn.reading.rules.conjunctions import asks_for_several_things
from boolattn.reading.rules.lexicon import find_cues, phrase_key
from boolattn.reading.rules.names import NO_NAMES, KnownNames, name_spans
from boolattn.reading.rules.negations import negations
from boolattn.reading.rules.scope_rules import sides_of, without_loose_end
from boolattn.reading.spans import Span
from boolattn.reading.typography import plain_marks

# Conjunctions that also stand inside names and single conditions.
_DOUBTFUL_CONJUNCTIONS = {"and", "plus", "including"}


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rules make of a query.

    Attributes:
        operators: The names of the operators that the query holds. A conjunction may go without a cue, as in
            "1956 debut novels"; *or* and *not* never do.
        cues: For each operator's name, where it is said.
        scopes: For each operator's name, what its cues speak of: the sides of *and* and *or*, what *not* leaves out.
    """

    operators: frozenset[str]
    cues: dict[str, tuple[Span, ...]]
    scopes: dict[str, tuple[Span, ...]]


def only_held(reading: Reading) -> Reading:
    """Leave out cues and scopes of operators that the query does not hold: a guess of them may still have been made."""
    cues, scopes = (
        {name: spans if name in reading.operators else () for name, spans in each.items()}
        for each in (reading.cues, reading.scopes)
    )
    return Reading(reading.operators, cues, scopes)


def operators_of(query: str, names: KnownNames = NO_NAMES) -> frozenset[str]:
    """Tell which operators the query holds, by name."""
    return read(query, names).operators


def read(query: str, names: KnownNames = NO_NAMES) -> Reading:
    """Read a query: its operators, their cues and their scopes.

    Args:
        query: The text.
        names: Names whose words are no cues ("Saint Kitts and Nevis"); quoted strings count as names anyway.
    """
    query = plain_marks(query)
    exclusions = [negation for negation in negations(query, names) if negation.excludes]
    left_out = [Span(exclusion.cue.start, exclusion.scope.end) for exclusion in exclusions]
    joining = [
        cue
        for cue in find_cues(query, names)
        if cue.operator != NOT.name and not any(cue.span.overlaps(span) for span in left_out)
    ]
    cues = {
        AND.name: tuple(cue.span for cue in joining if cue.operator == AND.name),
        OR.name: tuple(cue.span for cue in joining if cue.operator == OR.name),
        NOT.name: tuple(exclusion.cue for exclusion in exclusions),
    }
    operators = {name for name in (OR.name, NOT.name) if cues[name]}
    if _holds_conjunction(query, cues, left_out):
        operators.add(AND.name)
    else:
        cues[AND.name] = ()

    borders = [cue.span for cue in joining] + left_out
    inside_names = name_spans(query, names)
    scopes = {
        name: tuple(dict.fromkeys(side for cue in cues[name] for side in sides_of(query, cue, borders, inside_names)))
        for name in (AND.name, OR.name)
    }
    scopes[NOT.name] = tuple(exclusion.scope for exclusion in exclusions)
    return Reading(frozenset(operators), cues, scopes)


def _holds_conjunction(query: str, cues: dict[str, tuple[Span, ...]], left_out: Sequence[Span]) -> bool:
    said = {phrase_key(cue.of(query)) for cue in cues[AND.name]}
    if said - _DOUBTFUL_CONJUNCTIONS:
        return True
    # Beside an *or*, a plain *and* is mostly part of a name or of one alternative.
    return not cues[OR.name] and asks_for_several_things(_wanted(query, left_out), says_and=bool(said))


def _wanted(query: str, left_out: Sequence[Span]) -> str:
    """Return the query without what it leaves out."""
    starts = [0, *(span.end for span in left_out)]
    ends = [*(span.start for span in left_out), len(query)]
    *cut, rest = (query[start:end] for start, end in zip(starts, ends, strict=True))
    return " ".join([*(without_loose_end(piece) for piece in cut), rest])

"""The rules' reading of a query: which operators it holds, the words that express them, and what these apply to."""

from collections.abc import Sequence

from boolattn.operators import AND, NOT, OR
from boolattn.reading.reading import Exclusion, Reading
from boolattn.reading.rules.conjunctions import asks_for_several_things
from boolattn.reading.rules.kinds import kind_of
from boolattn.reading.rules.lexicon import find_cues, phrase_key
from boolattn.reading.rules.names import NO_NAMES, KnownNames, name_spans
from boolattn.reading.rules.negations import negations
from boolattn.reading.rules.scope_rules import sides_of, strip_dangling_clause
from boolattn.reading.spans import Span
from boolattn.reading.typography import plain_marks

NAME = "rules 1"
# The share of QUEST's test queries whose operators they read exactly: `boolattn evaluate quest-gate --model rules`.
CONFIDENCE = 0.857

# Conjunctions that also stand inside names and single conditions.
_DOUBTFUL_CONJUNCTIONS = {"and", "plus", "including"}


class RuleReader:
    """Reads English by rules, with nothing learned and nothing to load.

    On real traffic most exclusions that the rules see are not there: use them where queries are known to hold
    exclusions, or where no model can be loaded.
    """

    name = NAME

    def __init__(self, names: KnownNames = NO_NAMES) -> None:
        """Take names whose words are no cues ("Saint Kitts and Nevis"); quoted strings count as names anyway."""
        self._names = names

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries, each on its own."""
        return [read_by_rules(query, self._names) for query in queries]


def read_by_rules(query: str, names: KnownNames = NO_NAMES) -> Reading:
    """Read one query: its operators, their cues and their scopes."""
    text = plain_marks(query)
    excluding = [negation for negation in negations(text, names) if negation.excludes]
    left_out = [Span(each.cue.start, each.scope.end) for each in excluding]
    joining = [
        cue
        for cue in find_cues(text, names)
        if cue.operator != NOT.name and not any(cue.span.overlaps(span) for span in left_out)
    ]
    cues = {
        AND.name: tuple(cue.span for cue in joining if cue.operator == AND.name),
        OR.name: tuple(cue.span for cue in joining if cue.operator == OR.name),
        NOT.name: tuple(each.cue for each in excluding),
    }
    operators = {name for name in (OR.name, NOT.name) if cues[name]}
    if _holds_conjunction(text, cues, left_out):
        operators.add(AND.name)
    else:
        cues[AND.name] = ()

    borders = [cue.span for cue in joining] + left_out
    inside_names = name_spans(text, names)
    scopes = {
        name: tuple(dict.fromkeys(side for cue in cues[name] for side in sides_of(text, cue, borders, inside_names)))
        for name in (AND.name, OR.name)
    }
    scopes[NOT.name] = tuple(each.scope for each in excluding)
    exclusions = tuple(Exclusion(each.scope, kind_of(text, each.cue), CONFIDENCE) for each in excluding)
    return Reading(query, frozenset(operators), cues, scopes, exclusions, CONFIDENCE, "rules", NAME)


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
    return " ".join([*(strip_dangling_clause(piece) for piece in cut), rest])

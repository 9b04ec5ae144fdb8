"""Reading by rules: which operators a query contains, the words that express them, and their scopes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from boolattn.operators import AND, NOT, OR
from boolattn.reading import limits
from boolattn.reading.reading import Exclusion, Kind, Reading
from boolattn.reading.rules.lexicon import CONTRACTIONS, find_cues, phrase_key, quoted_spans
from boolattn.reading.rules.negations import negations_among
from boolattn.reading.rules.scope_rules import sides_of, strip_dangling_clause
from boolattn.reading.spans import Span, SpanIndex, plain_marks

_NEAR, _LAST_WORDS = 300, 80  # characters around a cue: a bound on the work for each
_DENIALS = ("not", "not also", "never", "cannot", "can't", "but not", "and not", "but never", *CONTRACTIONS)
_VERB = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|be|been|being|also)"
# What makes a negation a fact about the thing asked for: "films that are [not]", "which birds do [not]".
_FACT_BEFORE = re.compile(
    rf"\b(?:that|which|who|whose|where)(?:\s+{_VERB})*$|(?:,|\b(?:and|but))\s+{_VERB}$", re.IGNORECASE
)
_FACT_ASKED = re.compile(
    rf"(?:^|[.?!,]\s*)(?:which|what|list|find|show|name)\s+(?:[^\s,.?!]+\s+){{1,9}}{_VERB}$", re.IGNORECASE
)
_FACT_AFTER = re.compile(
    r"\s+(?:yet\s+|also\s+)?(?:found|set|born|made|written|shot|known|native|endemic|\w{2,}(?:ed|able|ible))"
    r"(?:\s+(?:in|on|at|by|to|for|from|as)\b|\s*$)",
    re.IGNORECASE,
)
# "films that are not about war", "books that don't mention love": what the answer should not be about.
_TOPIC_AFTER = re.compile(
    r"\s+(?:(?:be|is|are|have|has|do|all|just|only|really|also|to)\s+)*(?:about\b|on\b|concern|regard|pertain|relat|relevant"
    r"|mention|includ|contain|involv|featur|discuss|cover|describ|refer|focus|talk|touch|address|deal|dwell|cent(?:er|re)"
    r"|revolv|want|interested)",
    re.IGNORECASE,
)

_ENOUGH = 5
_PLAIN_AND = 3
_SIGNS_OF_A_FURTHER_CONDITION = (
    re.compile(r"\b(?:that|which|who|whose)\b", re.IGNORECASE),
    re.compile(
        r"\b(?:about|set|shot|filmed|based|described|published|written|adapted|made|featuring|taking?\s+place)\b",
        re.IGNORECASE,
    ),
    # A year before what it qualifies; "described in 1859" is one condition, not two.
    re.compile(r"\b\d{4}(?=\s+\w)|\bcentury\b", re.IGNORECASE),
)
_FUNCTION_WORDS = frozenset({
    "a", "an", "the", "of", "in", "from", "about", "by", "on", "during", "with", "for", "at", "to", "and", "or", "but",
    "not", "non", "that", "which", "who", "whose", "it", "its", "their", "is", "are", "was", "were", "be", "as", "well",
    "also", "both", "some", "any", "what", "list", "find", "me", "show", "there", "give", "name", "tell",
})  # fmt: skip
_NAME_AFTER_PREPOSITION = re.compile(
    r"(?<=\s)(?:of|in|from|about|by|on|during|with)\s+(?:the\s+)?(?P<name>[A-Z][\w'.-]*(?:\s+[A-Z][\w'.-]*)+)"
)
_WORD = re.compile(r"\w[\w'.-]*")
NAME = "rules 1"
# The share of QUEST's test queries whose operators rules read exactly (`boolattn-lab evaluate quest-gate`).
CONFIDENCE = 0.857
# Conjunctions that also occur inside names and single conditions.
_DOUBTFUL_CONJUNCTIONS = {"and", "plus", "including"}


def kind_of(text: str, cue: Span) -> Kind:
    """Tell the kind of what a cue excludes: a fact denied of the thing asked for is a property, all else a topic."""
    before = plain_marks(text[max(0, cue.start - _NEAR) : cue.start]).rstrip()
    after = plain_marks(text[cue.end : cue.end + _NEAR])
    if phrase_key(cue.of(text)) not in _DENIALS or _TOPIC_AFTER.match(after):
        return "topic"
    is_fact = _FACT_AFTER.match(after) or _FACT_BEFORE.search(before[-_LAST_WORDS:]) or _FACT_ASKED.search(before)
    return "property" if is_fact else "topic"


def asks_for_several_things(wanted: str, says_and: bool) -> bool:
    """Decide whether a query's words amount to more than one condition.

    Args:
        wanted: The query without what it excludes.
        says_and: Whether it contains a plain *and*.
    """
    names_joined = _NAME_AFTER_PREPOSITION.sub(lambda match: " in " + re.sub(r"\W", "", match["name"]), wanted)
    words = (word.strip(".").lower() for word in _WORD.findall(names_joined))
    weight = sum(word not in _FUNCTION_WORDS for word in words)
    weight += sum(bool(sign.search(wanted)) for sign in _SIGNS_OF_A_FURTHER_CONDITION)
    return weight + _PLAIN_AND * says_and >= _ENOUGH


class RuleReader:
    """Reads English by rules, with nothing to learn or load.

    On real traffic, most exclusions that the rules report are false alarms: use them if queries are known to contain
    exclusions, or where no model can be loaded.
    """

    name = NAME

    def read(self, queries: Sequence[str]) -> list[Reading]:
        """Read queries, each on its own."""
        return [read_by_rules(query) for query in queries]


def read_by_rules(query: str) -> Reading:
    """Read one query: its operators, their cues and their scopes."""
    text = plain_marks(query)
    found, inside_names = find_cues(text), SpanIndex(quoted_spans(text))
    exclusive = (negation for negation in negations_among(found, text, inside_names) if negation.excludes)
    excluding = list(islice(exclusive, limits.MOST_ATOMS + 1))
    if len(excluding) > limits.MOST_ATOMS:  # each is an atom: a plan could not have so many
        return replace(Reading.plain(query, "rules", NAME), unread_reason=limits.too_many_atoms())
    left_out = [Span(each.cue.start, each.scope.end) for each in excluding]
    unwanted = SpanIndex(left_out)
    joining = [cue for cue in found if cue.operator != NOT.name and not unwanted.overlaps(cue.span)]
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

    borders = SpanIndex([cue.span for cue in joining] + left_out)
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
    # Next to an *or*, a plain *and* is usually part of a name or of one alternative.
    return not cues[OR.name] and asks_for_several_things(_wanted(query, left_out), says_and=bool(said))


def _wanted(query: str, left_out: Sequence[Span]) -> str:
    """Return the query without what it excludes."""
    starts = [0, *(span.end for span in left_out)]
    ends = [*(span.start for span in left_out), len(query)]
    *cut, rest = (query[start:end] for start, end in zip(starts, ends, strict=True))
    return " ".join([*(strip_dangling_clause(piece) for piece in cut), rest])

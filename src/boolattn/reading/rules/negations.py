"""The negations of a text: the cue and scope of each, and whether it excludes something from the answer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from boolattn.operators import NOT
from boolattn.reading.rules.lexicon import (
    ADDITIONS,
    CONTRACTIONS,
    EXCLUSIONS,
    OMITTING_PARTICIPLES,
    OMITTING_VERBS,
    Cue,
    find_cues,
    phrase_key,
    quoted_spans,
)
from boolattn.reading.rules.scope_rules import scope_after
from boolattn.reading.spans import Span, SpanIndex, plain_marks

# How many characters around a cue are looked at: enough for any clause, and a bound on the work for each cue. Most
# patterns concern the last few words before it.
_NEAR, _LAST_WORDS = 300, 80

_BE_DO_HAVE = r"(?:is|are|was|were|do|does|did|has|have|had)"


def _before(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern})$", re.IGNORECASE)


def _after(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\s+(?:{pattern})\b", re.IGNORECASE)


# Words before a negation that make it select among things asked for: "films that are [not]", "which birds do [not]".
_RELATIVE_CLAUSE = _before(
    rf"\b(?:that|which|who|but|where)(?:\s+{_BE_DO_HAVE})*(?:\s+been)?|(?:,|\band)\s+(?:are|were)"
)
_CHOICE = _before(
    r"(?:^|[.?!,]\s+|\band\s+)(?:which|what|list|find|show|all)\s+"
    rf"(?:(?!(?:if|when|while|because|happens?|to|{_BE_DO_HAVE})\b)\S+(?:\s+|$)){{1,9}}{_BE_DO_HAVE}?"
)
# Words before a negation that make it part of the question or story: "why does it [not] start", "how [not] to fall".
_ASSERTION = _before(
    rf"^|\b(?:{_BE_DO_HAVE}|am|be|been|can|could|will|would|shall|should|may|might|must|or|to|if|whether|how)"
    rf"|'(?:m|re|s)|\b{_BE_DO_HAVE}\s+(?:it|they|you|he|she|we|i|this|(?:my|your|this)\s+\w+)"
)
_WHY = _before(r"\bwhy\b[^,.?!]*")
# Words after a plain *not* that make it a state or a trouble: "bluetooth [not] working", "module [not] found".
_STATE = _after(
    r"to|enough|available|allowed|equal|supported|found(?!\s+(?:in|on|at)\b)"
    r"|(?!(?:featur|includ|involv|contain|mention|concern|starr|cover|belong|relat|liv|grow|us|hav|be)ing\b)\w+ing"
)
_NEW_CLAUSE = _before(r"^|[.,;:!?(-]|\b(?:but|and|please|should|must|also|while|to|sure)(?:\s+do)?|\bdo")
_SPEAKING_VERB = _after(
    r"(?:to\s+)?(?:mention|include|discuss|talk|refer|consider|cover|involve|return|show|list|give|focus|reference"
    "|describe|contain|feature|touch|bring|use|want|provide|cite)"
)
_PASSIVE = _after("be")
_FIRST_PERSON = _before(r"\b(?:I|I'm|I am|I do|we|we are|we're|we do)")
_WISH = _after("interested|looking|want|need|care|wish|like")
_HOLDING = _before(r"\b(?:with|having|contain(?:s|ing)?|involv(?:es?|ing)|featur(?:es?|ing)|that\s+ha(?:ve|s))|[,(]")

_ASKING = _before(r"[.,;:!?(-]|\b(?:but|and|please|should|must|also|while|that|which|(?:can|could|would)\s+you)")
_TELLING = _before(r"\b(?:to|for|of|about|on|in|from|by|when|keep|stop|start)")
# Asking how to do something without a thing excludes nothing, unless it is about what to mention.
_HOW_TO = re.compile(
    r"^\W*(?:how\s+(?:to|do|does|can|could|should|would)|can|could|is\s+it|ways?\s+to)\b", re.IGNORECASE
)
_SPEAKING = _after(
    "(?:mention|includ|discuss|talk|referr|consider|cover|involv|focus|referenc|describ|touch|delv|address)ing"
)
_DOING_WITHOUT = ("without", "w/o")
# "egg-free", "egg-less", "dairy free mac"; not "movies free", "toll-free".
_LACKING = re.compile(
    r"\b(?:(?!(?:hands|toll|duty|tax|royalty)-)(\w+)-(free|less)"
    r"|(dairy|gluten|sugar|nuts?|eggs?|soy|wheat|lactose|alcohol|caffeine|fragrance)\ (free))\b",
    re.IGNORECASE,
)
_PLAIN_DENIALS = ("not", "not also", "never", *CONTRACTIONS)


@dataclass(frozen=True, slots=True)
class Negation:
    """One negation in a text.

    Attributes:
        cue: The words that express it.
        scope: What it applies to; empty if nothing follows the cue.
        excludes: Whether it clearly excludes its scope, rather than being part of the question or story.
    """

    cue: Span
    scope: Span
    excludes: bool


def negations(text: str) -> tuple[Negation, ...]:
    """Find every negation in the text, in order."""
    text = plain_marks(text)
    return tuple(negations_among(find_cues(text), text, SpanIndex(quoted_spans(text))))


def first_negation(text: str) -> Negation | None:
    """Return the first negation of a text, without looking for others, also "egg-free"; None if there is none."""
    text = plain_marks(text)
    found = next(negations_among(find_cues(text), text, SpanIndex(quoted_spans(text))), None)
    if found is None and (lacking := _LACKING.search(text)):
        scope, cue = (1, 2) if lacking[1] else (3, 4)
        return Negation(Span(*lacking.span(cue)), Span(*lacking.span(scope)), excludes=False)
    return found


def negations_among(found_cues: Sequence[Cue], text: str, protected: SpanIndex) -> Iterator[Negation]:
    """Yield the negations among cues.

    Args:
        found_cues: What ``find_cues`` found.
        text: The text, with plain marks.
        protected: The spans of its names.
    """
    cues = [cue.span for cue in found_cues if cue.operator == NOT.name]
    # "not not about war": two adjacent negations cancel out.
    pairs = [pair for pair in pairwise(cues) if not text[pair[0].end : pair[1].start].strip()]
    cancelled = {cue for pair in pairs for cue in pair}
    follows_exclusion = False
    for cue, following in zip_longest(cues, cues[1:]):
        scope = scope_after(text, cue, following.start if following else len(text), protected)
        # Punctuation alone is nothing that a document could be about: "NOT {".
        says_what = bool(re.search(r"\w", scope.of(text)))
        follows_exclusion = says_what and cue not in cancelled and _excludes(text, cue, follows_exclusion)
        yield Negation(cue, scope, follows_exclusion)


def _excludes(text: str, cue: Span, follows_exclusion: bool) -> bool:
    """Judge a cue by its phrase and neighbours; in doubt, it excludes nothing."""
    phrase = phrase_key(cue.of(text))
    before = text[max(0, cue.start - _NEAR) : cue.start].rstrip()
    after = text[cue.end : cue.end + _NEAR]
    if phrase in OMITTING_VERBS + OMITTING_PARTICIPLES:
        return _asks_to_omit(phrase, before, after)
    if phrase in _DOING_WITHOUT and _HOW_TO.match(before) and not _SPEAKING.match(after):
        return False
    if phrase == "nor":
        return follows_exclusion
    if phrase == "neither":
        return bool(re.search(r"\bnor\b", after, re.IGNORECASE))
    if phrase == "no":
        return bool(_HOLDING.search(before[-_LAST_WORDS:])) and not re.match(r"\W*\d", after)
    return phrase in ("non", *EXCLUSIONS, *ADDITIONS) or _denial_chooses(phrase, before, after)


def _asks_to_omit(phrase: str, before: str, after: str) -> bool:
    if not before:
        # At the start, the verb is a request only if a clause follows: "ignoring X, who ...", not "ignoring X".
        return "," in after
    last_words = before[-_LAST_WORDS:]
    return bool(_ASKING.search(last_words)) if phrase in OMITTING_VERBS else not _TELLING.search(last_words)


def _denial_chooses(phrase: str, before: str, after: str) -> bool:
    """Whether a *not* or one of its kind narrows what is asked for."""
    last_words = before[-_LAST_WORDS:]
    if phrase in _PLAIN_DENIALS:
        return bool(
            _RELATIVE_CLAUSE.search(last_words)
            or _CHOICE.search(before)
            or (_SPEAKING_VERB.match(after) and _NEW_CLAUSE.search(last_words))
            or (_WISH.match(after) and _FIRST_PERSON.search(last_words))
            or (phrase.startswith("not") and not _STATE.match(after) and not _is_assertion(before))
        )
    if phrase in ("can't", "cannot"):
        return bool(_PASSIVE.match(after) and _RELATIVE_CLAUSE.search(last_words))
    return phrase in ("shouldn't", "mustn't") and bool(_SPEAKING_VERB.match(after))


def _is_assertion(before: str) -> bool:
    """Whether the words before a denial make it part of what is told or asked."""
    return bool(_ASSERTION.search(before[-_LAST_WORDS:]) or _WHY.search(before))

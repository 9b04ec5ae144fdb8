"""The negations of a text: where each is said, what it speaks of, and whether it leaves something out of the answer."""

import re
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from boolattn.operators import NOT
from boolattn.reading.rules.lexicon import (
    ADDITIONS,
    CONTRACTIONS,
    EXCLUSIONS,
    NO_NAMES,
    OMITTING_PARTICIPLES,
    OMITTING_VERBS,
    KnownNames,
    find_cues,
    name_spans,
    phrase_key,
)
from boolattn.reading.rules.scope_rules import scope_after
from boolattn.reading.spans import Span, plain_marks

# How many characters about a cue are looked at: enough for any clause, and a bound on the work for a huge text.
_NEAR = 300

_BE_DO_HAVE = r"(?:is|are|was|were|do|does|did|has|have|had)"


def _before(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern})$", re.IGNORECASE)


def _after(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\s+(?:{pattern})\b", re.IGNORECASE)


# Words before a denial that make it choose among the things asked for: "films that are [not]", "which birds do [not]".
_RELATIVE_CLAUSE = _before(
    rf"\b(?:that|which|who|but|where)(?:\s+{_BE_DO_HAVE})*(?:\s+been)?|(?:,|\band)\s+(?:are|were)"
)
_CHOICE = _before(
    r"(?:^|[.?!,]\s+|\band\s+)(?:which|what|list|find|show|all)\s+"
    rf"(?:(?!(?:if|when|while|because|happens?|to|{_BE_DO_HAVE})\b)\S+(?:\s+|$)){{1,9}}{_BE_DO_HAVE}?"
)
# Words before a denial that make it part of what is told or asked: "why does it [not] start", "how [not] to fall".
_ASSERTION = _before(
    rf"^|\b(?:{_BE_DO_HAVE}|am|be|been|can|could|will|would|shall|should|may|might|must|or|to|if|whether|how)"
    rf"|'(?:m|re|s)|\bwhy\b[^,.?!]*|\b{_BE_DO_HAVE}\s+(?:it|they|you|he|she|we|i|this|(?:my|your|this)\s+\w+)"
)
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
# A question of how to do something without a thing is about doing without, unless it is about what to speak of.
_HOW_TO = re.compile(
    r"^\W*(?:how\s+(?:to|do|does|can|could|should|would)|can|could|is\s+it|ways?\s+to)\b", re.IGNORECASE
)
_SPEAKING = _after(
    "(?:mention|includ|discuss|talk|referr|consider|cover|involv|focus|referenc|describ|touch|delv|address)ing"
)
_DOING_WITHOUT = ("without", "w/o")
_PLAIN_DENIALS = ("not", "not also", "never", *CONTRACTIONS)


@dataclass(frozen=True, slots=True)
class Negation:
    """One negation of a text.

    Attributes:
        cue: Where it is said.
        scope: What it speaks of; empty where nothing follows the cue.
        excludes: Whether it clearly asks to leave the scope out, and is not just part of what is told or asked.
    """

    cue: Span
    scope: Span
    excludes: bool


def negations(text: str, names: KnownNames = NO_NAMES) -> tuple[Negation, ...]:
    """Find every negation of the text, in order."""
    text = plain_marks(text)
    protected = name_spans(text, names)
    cues = [cue.span for cue in find_cues(text, names) if cue.operator == NOT.name]
    # "not not about war": two that stand side by side cancel out.
    pairs = [pair for pair in pairwise(cues) if not text[pair[0].end : pair[1].start].strip()]
    cancelled = {cue for pair in pairs for cue in pair}
    found: list[Negation] = []
    for cue, following in zip_longest(cues, cues[1:]):
        scope = scope_after(text, cue, following.start if following else len(text), protected)
        follows_exclusion = bool(found) and found[-1].excludes
        # Marks alone are nothing that a document could be about: "NOT {".
        says_what = bool(re.search(r"\w", scope.of(text)))
        excludes = says_what and cue not in cancelled and _excludes(text, cue, follows_exclusion)
        found.append(Negation(cue, scope, excludes))
    return tuple(found)


def _excludes(text: str, cue: Span, follows_exclusion: bool) -> bool:
    """Judge a cue by its phrase and its neighbours; in doubt, nothing is left out."""
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
        return bool(_HOLDING.search(before)) and not re.match(r"\W*\d", after)
    return phrase in ("non", *EXCLUSIONS, *ADDITIONS) or _denial_chooses(phrase, before, after)


def _asks_to_omit(phrase: str, before: str, after: str) -> bool:
    if not before:
        # A text that opens with the verb asks only where a clause follows: "ignoring X, who ...", not "ignoring X".
        return "," in after
    return bool(_ASKING.search(before)) if phrase in OMITTING_VERBS else not _TELLING.search(before)


def _denial_chooses(phrase: str, before: str, after: str) -> bool:
    """Whether a *not* or one of its kind narrows what is asked for."""
    if phrase in _PLAIN_DENIALS:
        return bool(
            _RELATIVE_CLAUSE.search(before)
            or _CHOICE.search(before)
            or (_NEW_CLAUSE.search(before) and _SPEAKING_VERB.match(after))
            or (_FIRST_PERSON.search(before) and _WISH.match(after))
            or (phrase.startswith("not") and not _ASSERTION.search(before) and not _STATE.match(after))
        )
    if phrase in ("can't", "cannot"):
        return bool(_RELATIVE_CLAUSE.search(before) and _PASSIVE.match(after))
    return phrase in ("shouldn't", "mustn't") and bool(_SPEAKING_VERB.match(after))

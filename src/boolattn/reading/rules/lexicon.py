"""The words that express and, or and not, and names whose words are not cues."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from boolattn.operators import AND, NOT, OR
from boolattn.reading.spans import Span, SpanIndex, plain_marks

_QUOTED = re.compile(r"\"[^\"]+\"|«[^«»]+»|(?<!\w)'[^']+'(?!\w)")
_CAPITAL_AFTER = re.compile(r"\s+(?:(?:a|an|the|of|my|your|his|her)\s+)*[A-Z]")
_NEAR = 300  # characters around a cue that are looked at: a bound on the work for each cue

CONJUNCTIONS = (
    "and", "and also", "also", "both", "as well as", "as well", "along with", "together with", "combined with",
    "in combination with", "coupled with", "in addition", "in addition to", "in common", "simultaneously", "plus",
    "including", "not only", "not just", "not merely", "not simply", "but also", "but are also", "but is also",
)  # fmt: skip
# Conjunctions that exclude something when *others* are requested: "in addition to X, what else ...".
ADDITIONS = ("in addition to", "along with")
_OTHERS_ASKED = re.compile(
    r"\b(?:what|which|who|where|any|some)\s+(?:\w+\s+)?(?:others?|else)\b|\banother\b"
    r"|^in addition to\b.*?,\s*(?:what|which|who|where|how|is|are|can|could|give|name|list|tell)\b",
    re.IGNORECASE,
)
ALTERNATIVES = ("or", "or else", "or also", "either", "alternatively", "and/or", "at least one of")
# Phrases that exclude something in a query.
EXCLUSIONS = (
    "except", "except for", "excepting", "with the exception of", "with the exclusion of", "to the exclusion of",
    "excluding", "but excluding", "exclusive of", "excl.", "excl", "not including", "not counting", "not considering",
    "apart from", "aside from", "besides", "other than", "rather than", "instead of", "as opposed to", "without",
    "but without", "w/o", "sans", "minus", "barring", "lacking", "lacks", "free of", "free from", "devoid of",
    "steering clear of", "outside of", "unrelated to", "not related to", "but not", "and not", "but never", "but no",
    "all but", "everything but", "anything but", "no mention of", "sure not to mention",
)  # fmt: skip
# Verbs that exclude something as a request ("ignore X"), and are the topic otherwise ("how to ignore X").
OMITTING_VERBS = (
    "exclude", "excludes", "omit", "omits", "avoid", "avoids", "ignore", "ignores", "disregard", "leave out",
    "leaves out", "leave aside",
)  # fmt: skip
OMITTING_PARTICIPLES = (
    "omitting", "avoiding", "ignoring", "disregarding", "leaving out", "leaving aside", "setting aside", "skipping",
)  # fmt: skip
_AUXILIARIES = ("is", "are", "was", "were", "do", "does", "did", "has", "have", "had")
# Contracted *not*, also without the apostrophe, as often typed.
CONTRACTIONS = (
    "n't",
    *(f"{verb}n't" for verb in _AUXILIARIES),
    *(f"{verb}nt" for verb in _AUXILIARIES),
)
# Negations; whether they exclude something depends on their clause.
DENIALS = (
    "not", "not also", "cannot", "never", "no", "non", "none", "nor", "neither", "nothing", "nobody", "no one",
    "nowhere", "by no means", *CONTRACTIONS, "can't", "couldn't", "won't", "wouldn't", "shouldn't", "mustn't",
)  # fmt: skip
# Everyday phrases that contain a cue's words but do not mean it.
LOOKALIKES = (
    "whether or not", "more or less", "or so", "or more", "or less", "or fewer", "or later", "or earlier", "or above",
    "or below", "or over", "or under", "sooner or later", "one or two", "two or three", "either way", "either side",
    "no longer", "no sooner", "no matter", "no doubt", "no wonder", "no less than", "no more than", "no fewer than",
    "none other than", "other than that", "except that", "why not", "if not", "not to mention", "not least",
    "last but not least", "not necessarily", "not always", "nothing but", "without doubt", "without a doubt",
    "never mind", "plus or minus", "plus size", "sans serif", "free of charge", "also known as", "also called",
    "and so on", "and so forth", "and more", "and others", "now and then", "again and again", "on and off",
    "black and white", "rock and roll", "trial and error", "bed and breakfast", "research and development",
    "without borders", "without frontiers", "without parole", "without a cause", "without a trace", "without end",
    "without fail", "without limits", "without warning", "without notice", "not for profit", "not guilty",
    "law and order", "pros and cons", "drum and bass", "rhythm and blues", "salt and pepper",
)  # fmt: skip
# What "non-" turns into the name of a kind, as in "non-fiction".
KINDS_NAMED_NON = (
    "fiction", "fictions", "fictional", "profit", "profits", "stop", "linear", "league", "binary", "violent",
    "violence", "verbal", "stick", "toxic", "invasive", "governmental", "commercial", "disclosure", "negotiable",
    "alcoholic", "smoker", "smokers", "smoking", "resident", "proliferation", "aligned", "euclidean", "stationary",
    "parametric", "negative", "zero", "trivial", "human", "native", "executive", "metropolitan",
)  # fmt: skip
_OPERATOR_OF: dict[str, str | None] = {
    **dict.fromkeys(CONJUNCTIONS, AND.name),
    **dict.fromkeys(ALTERNATIVES, OR.name),
    **dict.fromkeys((*EXCLUSIONS, *OMITTING_VERBS, *OMITTING_PARTICIPLES, *DENIALS), NOT.name),
    **dict.fromkeys(LOOKALIKES, None),
}


def quoted_spans(text: str) -> list[Span]:
    """Return the quoted strings in a text, with their quotation marks: their words are not cues."""
    return [Span(*match.span()) for match in _QUOTED.finditer(plain_marks(text))]


class Cue(NamedTuple):
    """A span of a text that expresses an operator."""

    operator: str
    span: Span


def find_cues(text: str, names: Iterable[Span] = ()) -> list[Cue]:
    """Find the phrases that may express an operator, in text order; the longest phrase wins.

    A cue inside quotation marks or a name is ignored, and so is one in a capitalised title in the middle
    of a sentence ("the film No Country for Old Men").

    Args:
        text: The query.
        names: Where it has names that the caller knows.
    """
    text = plain_marks(text)
    covers = SpanIndex([*names, *quoted_spans(text)])
    others_asked = bool(_OTHERS_ASKED.search(text))
    cues = []
    for match in _PHRASES.finditer(text):
        phrase, span = phrase_key(match[0]), Span(*match.span())
        # Regardless of case, patterns take "\u017f" for an s and "\u0131" for an i; such spellings are no cues.
        operator = NOT.name if others_asked and phrase in ADDITIONS else _OPERATOR_OF.get(phrase)
        if operator and not _is_in_title(text, span) and not _is_part_of_name(covers, span, text):
            cues.append(Cue(operator, span))
    return cues


def phrase_key(text: str) -> str:
    """Return a phrase in the lexicon's spelling: lower case, single spaces, straight apostrophes."""
    return " ".join(plain_marks(text).lower().split())


def _is_part_of_name(names: SpanIndex, cue: Span, text: str) -> bool:
    """Whether the cue is a mere part of a name.

    A name that starts with the cue needs its capital: "films without love" are not the film "Without Love".
    """
    if names.reach(cue.start) >= cue.end:
        return True
    return names.reach(cue.start + 1) > cue.end and text[cue.start].isupper()


def _is_in_title(text: str, cue: Span) -> bool:
    """Whether the cue is capitalised within a run of capitals."""
    return (
        text[cue.start].isupper()
        and _follows_word(text[max(0, cue.start - _NEAR) : cue.start])
        and _CAPITAL_AFTER.match(text, cue.end, cue.end + _NEAR) is not None
    )


def _follows_word(before: str) -> bool:
    """Whether a text ends in a word and space."""
    word = before.rstrip()
    return len(word) < len(before) and (word[-1:].isalnum() or word[-1:] == "_")


def _phrase_pattern() -> re.Pattern[str]:
    prefix = rf"non(?=[-\s]+(?!(?:{'|'.join(KINDS_NAMED_NON)})\b)\w)"
    # No phrase is tried where none can begin: a text of 4,096 characters has as many such places.
    begins = "".join(sorted({phrase[0] for phrase in _OPERATOR_OF}))
    phrases = _longest_first(sorted(_OPERATOR_OF, key=len, reverse=True))
    return re.compile(rf"(?<![\w'-])(?=[{begins}])(?:{prefix}|(?!non\b){phrases}(?![\w-]))", re.IGNORECASE)


def _longest_first(phrases: list[str], common: int = 2) -> str:
    """Return a pattern for phrases, in this order of preference, that compares the letters they share once."""
    if not common:
        return "(?:" + "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in phrases) + ")"
    groups: dict[str, list[str]] = {}
    for phrase in phrases:
        groups.setdefault(phrase[0], []).append(phrase[1:])
    return "(?:" + "|".join(re.escape(first) + _longest_first(rest, common - 1) for first, rest in groups.items()) + ")"


_PHRASES = _phrase_pattern()

"""What the words around a mention make of it: "no onions" has none, and peanut butter is no butter.

Cues count only close by and in the same clause, since *not* in running text is mostly about something else.
"""

import re
from enum import IntEnum

from boolattn.plans.other_things import IMITATING, OTHER_AFTER, OTHER_BEFORE


class Mention(IntEnum):
    """What one mention of a word says."""

    PLAIN = 0
    NEGATED = 1
    OTHER = 2
    """Part of another word, or of the name of another thing."""


BEFORE, AFTER = 60, 24
"""Characters before and after a mention in which its cue is looked for."""
_TOKEN = re.compile(r"[\w'/%]+")
_PREVIOUS = re.compile(r"(\w+)[ -]\Z")
_LONGEST_WORD = 20

_WORD = r"[^\W\d_][\w'-]*"
_ARTICLE = r"(?:an?|any|the|my|your|his|her|its|our|their|this|that|these|those)"
_ADJECTIVE = (
    r"(?:an?|any|such|added|extra|fresh|real|new|known|other|single|visible|spoken|whole|raw|need for|use of"
    r"|[^\W\d_]\w+(?:ed|ing|al|ible|able|ous|ive|ic|ary|ant|ent))"
)
_HAVE = (
    r"(?:contain|include|have|use|need|require|come with|feature|offer|support|provide|add|want|make)s?"
    r"|containing|including|having|has|using|needing|requiring|coming with|featuring|offering|supporting|providing"
    r"|adding|made (?:with|of|from|for)|packed in|intended for|meant for|suitable for|tested on"
)
_NOT = r"(?:not|never|cannot|\w+n't|doesnt|dont|didnt|isnt|wont|cant)"
# Not before the verb of another clause: "without leaving the desktop".
_NOUNS = rf"(?:(?!any\b|for\b|to\b|\w+ing\b){_WORD} +)"
# Each ends where the mention itself starts.
_CUES = "|".join(
    (
        rf"no +(?:{_ADJECTIVE} +){{0,2}}",
        # Only in a sentence: "No Drill Curtain Rods" are curtain rods.
        rf"(?:with|has|have|had|having|is|are|was|were|but|and|in|of|by|there's|contains?|needs?|uses?)"
        rf" no +{_NOUNS}{{0,2}}",
        r"no-",
        rf"(?:zero|0|0 ?g|0%)[ -]+(?:{_ADJECTIVE} +)?",
        rf"(?:without|w/o|sans|minus|lacks|lacking|free of|free from|devoid of|excluding|excludes|instead of"
        rf"|rather than|in place of|except|except for|other than)[ ]+(?:(?:{_HAVE}) +)?(?:any +)?{_NOUNS}{{0,2}}",
        r"(?:omit|hold|skip|leave out|omitting|skipping) +(?:the +)?",
        r"(?:substitutes?|alternatives?|replacement) +(?:for|to) +(?:the +)?",
        rf"{_NOT} +(?:to +)?(?:be +|been +)?(?:{_ARTICLE} +|as +|for +|from +|in +)?(?:real +|original +)?",
        rf"{_NOT} +(?:to +|be +)?(?:{_HAVE}) +(?:{_ARTICLE} +|added +|much +|more +|{_NOUNS}){{0,2}}",
        rf"{_NOT} +(?:to +|be +|been +|being +){{0,2}}{_WORD}ed +(?:as|by|for|from|in|with) +(?:{_ARTICLE} +)?",
        rf"{_NOT} +a single +(?:{_ADJECTIVE} +)?",
        rf"(?:neither|nor) +(?:{_WORD} +)?",
        r"non[ -]*",
    )
)
_NEGATED = re.compile(rf"(?<![\w'/-])(?<!or )(?:{_CUES})$")
_ITEM = rf"(?:{_WORD} +){{0,2}}{_WORD}"
_LIST = (
    r"(?<![\w'/-])(?:no(?! (?:longer|more|less|matter|doubt))|zero|without|w/o|free of|free from|lacks|devoid of"
    rf"|{_NOT} (?:{_HAVE})|excluding)(?: any)? +"
)
_LISTED_LAST = re.compile(rf"{_LIST}{_ITEM}(?: *, *{_ITEM})* *,? *\b(?:or|nor) +(?:any +)?(?:{_WORD} +)?$")
_LISTED = re.compile(rf"{_LIST}(?:{_ITEM} *, *)*(?:{_WORD} +)?$")
_LIST_GOES_ON = re.compile(rf"(?: *, *{_ITEM})* *,? *\b(?:or|nor) ")
_CLAUSE = re.compile(r"[;:!?\n|]|[.](?=\s)| [-\u2013\u2014] |\bbut\b")
# Phrases whose *not* denies nothing, or denies a *not*: "never altered except for".
_MISREAD = re.compile(
    r"\b(?:no|not) (?:longer|more|less|fewer|matter|doubt|(?:the |an? )?only|just|other|later|sooner"
    r"|known (?:if|whether)|sure|until|before|interest in)\b|\bor not\b|\bif not\b"
    r"|\b(?:no|never|not|nothing|none|\w+n't)\b.*\b(?:without|except|other than|excluding)\b"
)
_STILL = re.compile(r" *(?:until|before|only|just)\b")
_CUE_WORDS = frozenset({
    "0", "0%", "0g", "alternative", "alternatives", "aren't", "can't", "cannot", "cant", "color", "colored",
    "colour", "coloured", "couldn't", "didn't", "didnt", "doesn't", "doesnt", "don't", "dont", "except", "excluded",
    "excludes", "excluding", "flavor", "flavored", "flavoring", "flavors", "flavour", "flavoured", "flavouring",
    "flavours", "free", "g", "hadn't", "hasn't", "haven't", "hold", "instead", "isn't", "isnt", "lacking", "lacks",
    "less", "like", "look", "minus", "mustn't", "n't", "needn't", "neither", "never", "no", "non", "nor", "not",
    "omit", "omitted", "omitting", "other", "out", "place", "print", "printed", "rather", "removed", "replacement",
    "replacements", "replacer", "replacers", "sans", "scent", "scented", "separately", "shaped", "shouldn't",
    "skip", "skipping", "sold", "style", "substitute", "substitutes", "w/o", "wasn't", "weren't", "without",
    "won't", "wont", "wouldn't", "zero",
    *IMITATING,
})  # fmt: skip
"""Without one of these nearby, a mention is what it seems."""

_AFTER = re.compile(
    r"""
    (?P<negated>
        -free\b | -less\b
      | [ ]free\b (?![ ](?:and|delivery|download|for|from|gift|in|of|on|returns|shipping|software|to|trial|with)\b)
      | (?:s)? (?:[ ](?:and|or|&)[ ]\w+)? [ ,]* (?:is|are|was|were)? [ ]?
        (?:not|never|isn't|aren't)[ ] (?:be[ ])?
        (?:included|needed|required|necessary|provided|supplied|added|used)\b
      | [ ,]* sold[ ]separately\b
      | [ ]+ (?:is|are|were|was)?[ ]* (?:omitted|excluded|removed)\b
    )
  | (?P<other>
        [ -] (?:substitutes?|alternatives?|replacers?|replacement|flavou?r(?:s|ed|ing)?|scent(?:ed)?|print(?:ed)?
               |look|like|style|shaped|colou?red|free)\b
    )
    """,
    re.VERBOSE,
)


def prepared(text: str) -> str:
    """Return a text as ``mention_at`` needs it: in lower case, with plain quotation marks."""
    return text.lower().replace("\u2019", "'").replace("(", " ").replace(")", ";")


def mention_at(text: str, start: int, end: int) -> Mention:
    """Return what a mention says.

    Args:
        text: A prepared text.
        start: Where the word starts.
        end: Where it ends.
    """
    word = text[start:end].removesuffix("s")
    named = word in OTHER_BEFORE or word in OTHER_AFTER
    if _CUE_WORDS.isdisjoint(_TOKEN.findall(text, max(0, start - BEFORE), end + AFTER)):
        return _thing(word, text, start, end) if named else Mention.PLAIN
    if after := _AFTER.match(text, end):
        return Mention.NEGATED if after["negated"] else Mention.OTHER
    if _is_negated(text[max(0, start - BEFORE) : start], text, end):
        return Mention.NEGATED
    return _thing(word, text, start, end)


def _thing(word: str, text: str, start: int, end: int) -> Mention:
    """Return whether the words beside a mention make it the name of another thing."""
    previous = _PREVIOUS.search(text, max(0, start - _LONGEST_WORD), start)
    if previous and (previous[1] in IMITATING or previous[1] in OTHER_BEFORE.get(word, ())):
        return Mention.OTHER
    others = OTHER_AFTER.get(word)
    return Mention.OTHER if others and others.match(text, end) else Mention.PLAIN


def _is_negated(before: str, text: str, end: int) -> bool:
    clause = _CLAUSE.split(before)[-1]
    if _MISREAD.search(clause) or _STILL.match(text, end):
        return False
    if _NEGATED.search(clause) or _LISTED_LAST.search(clause):
        return True
    return bool(_LISTED.search(clause) and _LIST_GOES_ON.match(text, end))

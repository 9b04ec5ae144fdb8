"""Whether a query asks for several things at once, even where no word says *and*: "1956 debut novels set in Rome".

A single class of things is mostly named in few words ("Swedish crime films", "birds of the Great Basin"). So the words
that carry meaning are counted, a name after a preposition as one; signs that a further condition begins weigh as much
as one more word, a plain *and* as much as three.
"""

import re

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


def asks_for_several_things(wanted: str, says_and: bool) -> bool:
    """Weigh whether a query's words amount to more than one condition.

    Args:
        wanted: The query without what it leaves out.
        says_and: Whether a plain *and* stands in it.
    """
    names_joined = _NAME_AFTER_PREPOSITION.sub(lambda match: " in " + re.sub(r"\W", "", match["name"]), wanted)
    words = (word.strip(".").lower() for word in _WORD.findall(names_joined))
    weight = sum(word not in _FUNCTION_WORDS for word in words)
    weight += sum(bool(sign.search(wanted)) for sign in _SIGNS_OF_A_FURTHER_CONDITION)
    return weight + _PLAIN_AND * says_and >= _ENOUGH
